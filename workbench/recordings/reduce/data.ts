import type { RecordedBytes, RecordedCall, RecordedLine } from "../record/line.ts";
import { leaveOut, type Search } from "./search.ts";
import { type Edit, edited, everyValue } from "./edits.ts";
import { isBytes } from "./measure.ts";

/** Bytes in a line. */
interface Place {
  readonly line: number;
  readonly path: Edit["path"];
  readonly content: RecordedBytes;
  /** Whether fewer bytes are possible: the number of bytes is said nowhere else. */
  readonly isCuttable: boolean;
}

/** Bytes from an index up to another. */
type Range = readonly [from: number, to: number];

/** Bytes become zero in so many blocks at most, each a multiple of so many bytes. */
const BLOCKS = 8, UNIT = 4;

/** Makes bytes zero where they may be, and leaves out those at the beginning and the end. */
export async function reduceData(search: Search): Promise<void> {
  await makeZero(search);
  for (let index = 0; index < placesIn(search.lines).length; index++) await cut(search, index);
}

async function makeZero(search: Search): Promise<void> {
  const { lines, candidate } = search;
  const blocks = placesIn(lines).flatMap((place) => blocksOf(place, candidate.weigh(place.content).bytes));
  await leaveOut(blocks, (zero) => search.take(edited(lines, zeroEdits(zero, candidate))));
}

function zeroEdits(
  zero: readonly { place: Place; range: Range }[],
  { bytesOf, contentOf }: Search["candidate"],
): Edit[] {
  return [...Map.groupBy(zero, ({ place }) => place)].map(([{ line, path, content }, blocks]) => {
    const bytes = bytesOf(content).slice();
    for (const { range } of blocks) bytes.fill(0, ...range);
    return { line, path, value: contentOf(bytes) };
  });
}

/** Tries what is not zero, then halves of that. */
async function cut(search: Search, index: number): Promise<void> {
  const { bytesOf } = search.candidate;
  const tryRange = (range: Range) => search.take(withRange(search, placesIn(search.lines)[index], range));
  const here = () => placesIn(search.lines)[index];
  if (!here().isCuttable) return;
  await tryRange(usedRange(bytesOf(here().content)));
  for (let isSmaller = true; isSmaller;) {
    const { length } = bytesOf(here().content), half = aligned(length / 2);
    if (half === 0 || half === length) return;
    isSmaller = await tryRange([0, half]) || await tryRange([half, length]);
  }
}

/** Returns lines with only a part of some bytes. What is written starts later then. */
function withRange({ lines, candidate }: Search, { line, path, content }: Place, [from, to]: Range): RecordedLine[] {
  const own = lines[line], bytes = candidate.bytesOf(content).slice(from, to);
  const place = "write" in own ? { path: ["offset"], value: own.offset + from } : {
    path: ["dstOffset"],
    value: offsetPlus((own as RecordedCall).args.dstOffset, from),
  };
  return edited(lines, [{ line, path, value: candidate.contentOf(bytes) }, { line, ...place }]);
}

function offsetPlus(offset: number | string, by: number): number | string {
  return typeof offset === "string" ? `${BigInt(offset) + BigInt(by)}` : offset + by;
}

/** From the first to the last byte that is not zero. One unit is left where there is none. */
function usedRange(bytes: Uint8Array): Range {
  const isSet = (byte: number) => byte !== 0, first = Math.max(0, bytes.findIndex(isSet));
  const from = Math.floor(first / UNIT) * UNIT;
  return [from, Math.min(bytes.length, Math.max(from, aligned(bytes.findLastIndex(isSet) + 1)) || UNIT)];
}

function aligned(size: number): number {
  return Math.ceil(size / UNIT) * UNIT;
}

function blocksOf(place: Place, size: number): { place: Place; range: Range }[] {
  const length = Math.max(UNIT, aligned(size / BLOCKS)), count = Math.ceil(size / length);
  return Array.from({ length: count }, (_, index) => ({
    place,
    range: [index * length, Math.min(size, (index + 1) * length)],
  }));
}

/** All bytes of a recording but the words of shaders. */
function placesIn(lines: readonly RecordedLine[]): Place[] {
  const places: Place[] = [];
  for (const [line, each] of lines.entries()) {
    if ("write" in each) places.push({ line, path: ["content"], content: each.content, isCuttable: true });
  }
  everyValue(lines, (value, path, line, command) => {
    if (!isBytes(value) || path.at(-1) === "pCode") return;
    places.push({ line, path, content: value, isCuttable: command === "vkCmdUpdateBuffer" });
  });
  return places;
}
