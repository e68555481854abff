import { coreName } from "../record/commands.ts";
import type { RecordedCall, RecordedLine } from "../record/line.ts";
import type { Fields } from "../record/line.ts";

/** Calls whose effect is gone with the objects that they ended, or is brought about otherwise. */
const OVER = /^vk(ResetDescriptorPool|TrimCommandPool|UnmapMemory2?)$/;
/** Calls that can be repeated without effect: only one of equal ones is needed. */
const ASKS = /^vk(Get|Enumerate|MapMemory2?(KHR)?$)/;

/**
 * Returns the lines that make objects without those that later lines make needless: questions that were asked again,
 * and descriptors that were written again. A program that does so in each frame would have more lines for ever.
 */
export function latestLines(lines: readonly RecordedLine[]): RecordedLine[] {
  const seen = new Set<string>(), written = new Set<string>();
  const asked = lines.filter((line) => !("command" in line) || !isOver(line) && !isTwice(line, seen));
  return asked.toReversed().flatMap((line): RecordedLine[] =>
    "command" in line && line.command === "vkUpdateDescriptorSets" ? latestWrites(line, written) : [line]
  ).reverse();
}

function isOver({ command }: RecordedCall): boolean {
  return OVER.test(coreName(command));
}

/** Whether an equal question was asked before, or the same memory was mapped. The first stays: others may need its answer. */
function isTwice({ command, args, out }: RecordedCall, seen: Set<string>): boolean {
  if (!ASKS.test(command)) return false;
  const isMapping = command.startsWith("vkMapMemory"), memory = args.memory ?? args.pMemoryMapInfo?.memory;
  const key = isMapping ? `map ${memory}` : JSON.stringify({ command, args, out }), isKnown = seen.has(key);
  seen.add(key);
  return isKnown;
}

/** Returns the call with the descriptors that no later call writes; lines come from the last to the first. */
function latestWrites(line: RecordedCall, written: Set<string>): RecordedLine[] {
  const { pDescriptorWrites = [], pDescriptorCopies = [] } = line.args;
  if (pDescriptorCopies.length > 0) written.clear(); // a copy needs what was there at its time
  const left = pDescriptorWrites.toReversed().filter((write: Fields) => {
    const places = placesOf(write), isNews = places.some((place) => !written.has(place));
    for (const place of places) written.add(place);
    return isNews;
  }).reverse();
  const isEmpty = left.length === 0 && pDescriptorCopies.length === 0;
  return isEmpty ? [] : [{ ...line, args: { ...line.args, pDescriptorWrites: left } }];
}

function placesOf({ dstSet, dstBinding, dstArrayElement = 0, ...write }: Fields): string[] {
  const infos = write.pBufferInfo ?? write.pImageInfo ?? write.pTexelBufferView;
  const count = infos?.length ?? write.descriptorCount ?? 1;
  return Array.from({ length: count }, (_, index) => `${dstSet} ${dstBinding} ${dstArrayElement + index}`);
}
