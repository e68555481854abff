import type { RecordedLine } from "../record/line.ts";
import { coreName } from "../record/commands.ts";

/**
 * The event that ends a frame: the presentation of an image or, in a recording that presents nothing, each submission.
 */
export type FrameEndKind = "presents" | "submissions";

/** Counts the frames of a recording, of which a part at a time is in memory. */
export class FrameCount {
  #presents = 0;
  #submissions = 0;

  /** Looks at a line. */
  note(line: RecordedLine): void {
    if (isEnd(line, "presents")) this.#presents++;
    else if (isEnd(line, "submissions")) this.#submissions++;
  }

  /** The kind of event that ends the frames. */
  get kind(): FrameEndKind {
    return this.#presents > 0 ? "presents" : "submissions";
  }

  /** The number of frames. */
  get count(): number {
    return this.kind === "presents" ? this.#presents : this.#submissions;
  }
}

/** Whether a line ends a frame. */
export function isEnd(line: RecordedLine, kind: FrameEndKind): boolean {
  if (!("command" in line)) return false;
  return kind === "presents" ? line.command === "vkQueuePresentKHR" : /^vkQueueSubmit2?$/.test(coreName(line.command));
}
