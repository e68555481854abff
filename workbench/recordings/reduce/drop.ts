import type { Fields, RecordedCall, RecordedLine } from "../record/line.ts";
import { coreName } from "../record/commands.ts";
import { madeBy, namesOf, usedBy } from "../state_tracker/names.ts";

/** Lists from which single items can be left out, by the names of parameters and members. */
const LISTS =
  /^(pSubmits|pCommandBuffers|pCommandBufferInfos|pDescriptorWrites|pDescriptorCopies|pImageMemoryBarriers|pBufferMemoryBarriers|pFences|pDescriptorSets|pWaitSemaphoreInfos|pSignalSemaphoreInfos|pBindInfos|pMemoryRanges)$/;
/** The beginning and the end of a pass. */
const PASS = /^vkCmd(Begin|End)Render/;
/** Parameters that can be left out where they are not there. */
const OPTIONAL = /^(fence|basePipelineHandle|pipelineCache|oldSwapchain)$/;
/** Commands that have nothing left to do with an empty list. */
const NEEDS_LIST = /^vk(UpdateDescriptorSets|Free|ResetFences|WaitForFences|CmdExecuteCommands|Bind\w+Memory2)/;

/**
 * Returns a recording without some of its lines, by their indices, and without
 * everything that needs what those lines made. Resources whose memory is gone
 * go as well, and command buffers that are no longer recorded are not
 * submitted.
 */
export function dropped(lines: readonly RecordedLine[], indices: ReadonlySet<number>): RecordedLine[] {
  const gone = new Set<string>();
  for (const index of indices) for (const name of madeBy(lines[index])) gone.add(name);
  for (;;) {
    const before = gone.size, left = pass(lines, indices, gone);
    if (gone.size === before) return left;
  }
}

/** One pass over all lines. Adds to the names that are gone. */
function pass(lines: readonly RecordedLine[], indices: ReadonlySet<number>, gone: Set<string>): RecordedLine[] {
  const unrecorded = new Set<string>(), left: RecordedLine[] = [];
  /** Command buffers in which the end of a pass has lost its beginning. */
  const unopened = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const begins = "command" in line && line.command === "vkBeginCommandBuffer";
    if (begins) unrecorded.delete(line.args.commandBuffer);
    const isOut = indices.has(index), kept = isOut ? undefined : without(line, gone, unrecorded);
    if (isOut && begins) unrecorded.add(line.args.commandBuffer);
    if (!isOut && !kept) forget(line, gone);
    if (closesNothing(line, kept !== undefined, unopened)) continue;
    if (kept) left.push(kept);
  }
  return left;
}

/** Whether a line is the end of a pass whose beginning is gone. */
function closesNothing(line: RecordedLine, isKept: boolean, unopened: Set<string>): boolean {
  if (!("command" in line) || !PASS.test(line.command)) return false;
  const { commandBuffer } = line.args, isBeginning = line.command.startsWith("vkCmdBegin");
  if (!isBeginning) return unopened.delete(commandBuffer);
  if (isKept) unopened.delete(commandBuffer);
  else unopened.add(commandBuffer);
  return false;
}

/** Forgets the objects that a line would have made, and the memory that it would have bound. */
function forget(line: RecordedLine, gone: Set<string>): void {
  for (const name of madeBy(line)) gone.add(name);
  if (!("command" in line) || !/^vkBind(Buffer|Image)Memory/.test(line.command)) return;
  for (const info of line.args.pBindInfos ?? [line.args]) gone.add(info.buffer ?? info.image);
}

/** Returns a line without what is gone; undefined if nothing of use is left. */
function without(line: RecordedLine, gone: Set<string>, unrecorded: ReadonlySet<string>): RecordedLine | undefined {
  const isSubmitting = "command" in line && /^vk(QueueSubmit|CmdExecuteCommands)/.test(line.command);
  const lost = isSubmitting ? new Set([...gone, ...unrecorded]) : gone, used = usedBy(line);
  if (!intersects(used, lost)) return line;
  if (!("command" in line)) return undefined;
  const args = pruned(line.args, lost) as Fields | undefined;
  if (args === undefined || intersects(namesOf(args), lost)) return undefined;
  return NEEDS_LIST.test(coreName(line.command)) && hasEmptyList(args) ? undefined : { ...line, args } as RecordedCall;
}

function intersects(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  for (const each of one) if (other.has(each)) return true;
  return false;
}

/** Leaves out items and members that can be left out. Submissions stay, even empty ones. */
function pruned(value: unknown, lost: ReadonlySet<string>): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map((each) => pruned(each, lost));
  const members = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
    if (OPTIONAL.test(name) && typeof each === "string" && lost.has(each)) return [];
    if (!LISTS.test(name) || !Array.isArray(each)) return [[name, pruned(each, lost)]];
    const items = name === "pSubmits" ? each.map((item) => pruned(item, lost)) : each;
    return [[name, items.filter((item) => !intersects(namesOf(item), lost))]];
  });
  return Object.fromEntries(members);
}

function hasEmptyList(args: Fields): boolean {
  const lists = Object.entries(args).filter(([name, value]) => LISTS.test(name) && Array.isArray(value));
  return lists.length > 0 && lists.every(([, value]) => value.length === 0);
}
