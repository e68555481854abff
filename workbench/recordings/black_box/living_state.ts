import { coreName } from "../record/commands.ts";
import type { RecordedCall, RecordedLine, RecordedWrite } from "../record/line.ts";
import { namesOf } from "../state_tracker/names.ts";
import { StateTracker } from "../state_tracker/state_tracker.ts";
import { withoutEnded, withoutWork } from "../trim/kept_lines.ts";
import { VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT } from "../../../loader/gen/enums_core_gen.js";
import { latestLines } from "./latest_lines.ts";

/**
 * The state of a program at its latest line, as far as a recording that begins there needs it: the calls that made the
 * living objects, the commands of command buffers, fences and semaphores, and which contents have changed.
 */
export class LivingState {
  /** The objects, command buffers, layouts, fences, semaphores and events. */
  readonly tracker: StateTracker = new StateTracker();
  /** The memory that the program maps. */
  readonly mapped: Set<string> = new Set();
  /** Buffers and images that something was written to since their contents were saved. */
  readonly dirty: Set<string> = new Set();
  /** Things that happened unseen. */
  gaps: string[] = [];
  #objects: RecordedLine[] = [];
  readonly #sizeOf: (content: RecordedWrite["content"]) => number;
  #index = 0;

  /** `sizeOf` returns the number of bytes of a line's content. */
  constructor(sizeOf: (content: RecordedWrite["content"]) => number) {
    this.#sizeOf = sizeOf;
  }

  /** Notes a line that was written. */
  note(line: RecordedLine): void {
    if ("missing" in line) this.gaps.push(line.missing);
    else if ("write" in line) this.#written(line);
    else if ("command" in line) this.#call(line);
  }

  /** Forgets gaps that are closed. */
  closeGaps(isClosed: (sentence: string) => boolean): void {
    this.gaps = this.gaps.filter((each) => !isClosed(each));
  }

  /** Returns the lines that make what lives now. Lines of what has ended are forgotten. */
  objects(): readonly RecordedLine[] {
    this.#objects = latestLines(withoutEnded(this.#objects, this.tracker.resources.objects));
    return this.#objects;
  }

  /** Returns the commands of the command buffers that can be submitted, or are being recorded. */
  commands(): readonly RecordedLine[] {
    const lists = [...this.tracker.lists.values()].filter(({ steps, wasSubmitted }) => {
      const flags = steps[0]?.call.args.pBeginInfo?.flags ?? 0;
      if (wasSubmitted && (flags & VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT) !== 0) return false;
      return steps.every(({ call }) => [...namesOf(call.args)].every((name) => this.#isAlive(name)));
    });
    return lists.flatMap(({ steps }) => steps).sort((one, other) => one.index - other.index).map(({ call }) => call);
  }

  #isAlive(name: string): boolean {
    return this.tracker.resources.call(name) !== undefined;
  }

  /** Bytes that are written into memory are in the buffers there. */
  #written({ write, offset, content }: RecordedWrite): void {
    this.mapped.add(write);
    for (const { buffer } of this.tracker.bindings.within(write, offset, this.#sizeOf(content))) this.dirty.add(buffer);
  }

  #call(call: RecordedCall): void {
    const gone = this.tracker.note(this.#index++, call), core = coreName(call.command);
    for (const name of gone) this.dirty.delete(name);
    if (core.startsWith("vkQueueSubmit")) this.#submitted(call);
    if (/^vkMapMemory2?$/.test(core)) this.mapped.add(call.args.memory ?? call.args.pMemoryMapInfo.memory);
    this.#objects.push(...withoutWork([call], () => false));
  }

  #submitted(call: RecordedCall): void {
    for (const write of this.tracker.submit(call)) {
      this.dirty.add("buffer" in write ? write.buffer : write.image);
    }
  }
}
