/**
 * The end of a frame: `"present"` is vkQueuePresentKHR; `"submit"` is any
 * vkQueueSubmit, for programs that do not present.
 */
export type FrameEnd = "present" | "submit";

const ENDS: Readonly<Record<FrameEnd, readonly string[]>> = {
  present: ["vkQueuePresentKHR"],
  submit: ["vkQueueSubmit", "vkQueueSubmit2", "vkQueueSubmit2KHR"],
};

/** Whether a command ends a frame. */
export function endsFrame(end: FrameEnd, command: string): boolean {
  return ENDS[end].includes(command);
}
