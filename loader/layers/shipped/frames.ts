/** What ends a frame: `"present"` is vkQueuePresentKHR, `"submit"` any vkQueueSubmit, for programs that present nothing. */
export type FrameEnd = "present" | "submit";

const ENDS: Readonly<Record<FrameEnd, readonly string[]>> = {
  present: ["vkQueuePresentKHR"],
  submit: ["vkQueueSubmit", "vkQueueSubmit2", "vkQueueSubmit2KHR"],
};

/** Whether a command ends a frame. */
export function endsFrame(end: FrameEnd, command: string): boolean {
  return ENDS[end].includes(command);
}
