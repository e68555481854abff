import type { RecordedLine } from "../record/line.ts";
import { coreName } from "../record/commands.ts";

/** Indices of lines that are left out together. */
export type Unit = readonly number[];

/** Lines without which nothing can be replayed, or which mean nothing alone. */
const KEPT =
  /^vk(CreateInstance|CreateDevice|GetDeviceQueue2?|GetPhysicalDevice\w+|Bind(Buffer|Image)Memory2?|BeginCommandBuffer|EndCommandBuffer|MapMemory2?)$/;
/** Commands that come in pairs. */
const PAIRS: readonly (readonly [begin: RegExp, end: RegExp])[] = [
  [/^vkCmdBeginRender(Pass2?|ing)$/, /^vkCmdEndRender(Pass2?|ing)$/],
  [/^vkCmdBeginQuery/, /^vkCmdEndQuery/],
  [/^vkCmdBeginTransformFeedback$/, /^vkCmdEndTransformFeedback$/],
  [/^vkCmdBeginConditionalRendering$/, /^vkCmdEndConditionalRendering$/],
];

/**
 * Returns what can be left out, from large to small: what follows the last
 * submission, destructions, recordings of command buffers, passes, and single
 * lines.
 */
export function unitsOf(lines: readonly RecordedLine[]): Unit[][] {
  return [[after(lines)], [endings(lines)], commandBuffers(lines), passes(lines), singles(lines), pairs(lines)];
}

/** Returns the lines after the last submission. A replay destroys what is left. */
function after(lines: readonly RecordedLine[]): number[] {
  const last = lines.findLastIndex((line) => /^vkQueueSubmit/.test(commandOf(line)));
  return [...lines.keys()].slice(last + 1);
}

function endings(lines: readonly RecordedLine[]): number[] {
  return [...lines.keys()].filter((index) => /^vk(Destroy|Free)/.test(commandOf(lines[index])));
}

function commandOf(line: RecordedLine): string {
  return "command" in line ? coreName(line.command) : "";
}

function bufferOf(line: RecordedLine): string | undefined {
  return "command" in line ? line.args.commandBuffer : undefined;
}

/** A command buffer from its beginning to its end. */
function commandBuffers(lines: readonly RecordedLine[]): Unit[] {
  return between(lines, /^vkBeginCommandBuffer$/, /^vkEndCommandBuffer$/, true);
}

/** A pass with everything in it. */
function passes(lines: readonly RecordedLine[]): Unit[] {
  return between(lines, ...PAIRS[0], true);
}

/** The ends of pairs, without what is between: state may be set in a pass that nobody needs. */
function pairs(lines: readonly RecordedLine[]): Unit[] {
  return PAIRS.flatMap(([begin, end]) => between(lines, begin, end, false));
}

function between(lines: readonly RecordedLine[], begin: RegExp, end: RegExp, isWhole: boolean): Unit[] {
  const open = new Map<string, number[]>(), units: Unit[] = [];
  for (const [index, line] of lines.entries()) {
    const command = commandOf(line), buffer = bufferOf(line);
    if (buffer === undefined) continue;
    if (begin.test(command)) open.set(buffer, []);
    const unit = open.get(buffer);
    if (unit && (isWhole || begin.test(command) || end.test(command))) unit.push(index);
    if (!unit || !end.test(command)) continue;
    units.push(unit);
    open.delete(buffer);
  }
  return units;
}

function singles(lines: readonly RecordedLine[]): Unit[] {
  return lines.flatMap((line, index) => {
    const command = commandOf(line), isPaired = PAIRS.flat().some((name) => name.test(command));
    return command !== "" && (KEPT.test(command) || isPaired) ? [] : [[index]];
  });
}
