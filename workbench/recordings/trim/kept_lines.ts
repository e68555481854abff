import type { RecordedCall, RecordedLine } from "../record/line.ts";
import { commandBuffersIn, coreName } from "../record/commands.ts";
import { madeBy, usedBy } from "../state_tracker/names.ts";
import type { Objects } from "../state_tracker/objects.ts";
import { dropped } from "../reduce/drop.ts";

/** Calls that work, wait or ask: the state that they leave behind is brought about otherwise. */
const PASSES =
  /^vk(QueueSubmit2?|QueuePresent|QueueWaitIdle|DeviceWaitIdle|WaitForFences|WaitSemaphores|WaitForPresent2?|ResetFences|SetEvent|ResetEvent|SignalSemaphore|ResetQueryPool|GetEventStatus|GetQueryPoolResults|GetFenceStatus|GetSemaphoreCounterValue|AcquireNextImage2?|(Flush|Invalidate)MappedMemoryRanges|ResetCommandBuffer|ResetCommandPool)$/;
const RECORDS = /^vk(Cmd|BeginCommandBuffer$|EndCommandBuffer$)/;

/** The use of a command buffer in the first line about it. */
type FirstUse = "begun" | "used" | "went on";

/** Notes the uses of command buffers from some line on. */
export class FirstUses {
  readonly #uses = new Map<string, FirstUse>();

  /** Looks at a line. */
  note(line: RecordedLine): void {
    if (!("command" in line)) return;
    const core = coreName(line.command);
    if (core === "vkBeginCommandBuffer") this.#use(line.args.commandBuffer, "begun");
    else if (RECORDS.test(core)) this.#use(line.args.commandBuffer, "went on");
    if (core === "vkCmdExecuteCommands") { for (const each of line.args.pCommandBuffers) this.#use(each, "used"); }
    if (core.startsWith("vkQueueSubmit")) { for (const each of commandBuffersIn(line)) this.#use(each, "used"); }
  }

  /** Whether the commands that a command buffer has at first are used. */
  needs(name: string): boolean {
    return this.#uses.has(name) && this.#uses.get(name) !== "begun";
  }

  #use(name: string, use: FirstUse): void {
    if (!this.#uses.has(name)) this.#uses.set(name, use);
  }
}

/** Returns the lines without those that only carry work out, and whose state is brought about otherwise. */
export function withoutWork(
  lines: readonly RecordedLine[],
  isKept: (index: number, call: RecordedCall) => boolean,
): RecordedLine[] {
  return lines.filter((line, index): boolean => {
    if (!("command" in line)) return false;
    const core = coreName(line.command);
    return RECORDS.test(core) ? isKept(index, line) : !PASSES.test(core);
  });
}

/** Returns the lines without the objects that have ended and that no living object was made from. */
export function withoutEnded(lines: readonly RecordedLine[], objects: Objects): RecordedLine[] {
  const needed = new Set<string>();
  for (const line of lines.toReversed()) {
    const made = [...madeBy(line)];
    const isLiving = made.some((name) => !objects.hasEnded(name) || needed.has(name));
    if (isLiving || isRecording(line)) { for (const name of usedBy(line)) needed.add(name); }
  }
  const gone = lines.flatMap((line, index) => {
    const made = [...madeBy(line)];
    return made.length > 0 && made.every((name) => objects.hasEnded(name) && !needed.has(name)) ? [index] : [];
  });
  return dropped(lines, new Set(gone));
}

function isRecording(line: RecordedLine): boolean {
  return "command" in line && RECORDS.test(coreName(line.command));
}
