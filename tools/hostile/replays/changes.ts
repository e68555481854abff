import fc from "fast-check";
import { placesIn, withValue } from "../changes.ts";

/** A recording that is nearly right. */
export interface ChangedRecording {
  /** The text of the file. */
  readonly text: string;
  /** The changes, in words. */
  readonly what: readonly string[];
}

/** The lines of a recording. */
type Lines = readonly unknown[];

/** A change of a recording's lines, with words. */
type Change = readonly [what: string, change: (lines: Lines) => Lines];

/** A place in a line. */
interface Spot {
  readonly line: number;
  readonly place: readonly (string | number)[];
  readonly value: unknown;
}

const HANDLE = /^(Vk\w+)#\d+$/, WHOLE = /^-?\d+$/;
/** Numbers that are out of range somewhere. */
const NUMBERS = [0, 1, 2, 3, 7, 255, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, -1, 0.5];
const WIDE = ["18446744073709551615", "18446744073709551616", "9223372036854775807", "-1", "4294967296", "1e9", ""];
const OTHERS = [null, true, "", "x", [], {}, [[]], [null], { bytes: "00" }, { data: "0".repeat(64) }];

/** Recordings with one or two changes: values, handles, numbers, bytes, lists, lines, cycles and cuts. */
export function changedRecording(lines: Lines): fc.Arbitrary<ChangedRecording> {
  const spots = spotsOf(lines);
  const changes = fc.array(changeOf(lines, spots), { minLength: 1, maxLength: 2 });
  const end = fc.oneof({ weight: 15, arbitrary: fc.constant(1) }, {
    weight: 1,
    arbitrary: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  return fc.tuple(changes, end).map(([all, part]) => {
    const changed = all.reduce((now, [, change]) => change(now), lines);
    const text = changed.map((line) => `${JSON.stringify(line)}\n`).join(""), length = Math.floor(text.length * part);
    const what = [...all.map(([words]) => words), ...part < 1 ? [`cut after ${length} characters`] : []];
    return { text: text.slice(0, length), what };
  });
}

function spotsOf(lines: Lines): Spot[] {
  return lines.flatMap((line, index) =>
    index === 0 ? [] : placesIn(line).map((place) => ({ line: index, place, value: valueAt(line, place) }))
  );
}

function valueAt(line: unknown, place: Spot["place"]): unknown {
  return place.reduce<unknown>((value, key) => (value as Record<string | number, unknown>)[key], line);
}

function changeOf(lines: Lines, spots: readonly Spot[]): fc.Arbitrary<Change> {
  const handles = spots.filter(({ value }) => typeof value === "string" && HANDLE.test(value));
  const names = [...new Set(handles.map(({ value }) => value as string))];
  const texts = spots.filter(({ place, value }) => place.at(-1) === "bytes" && typeof value === "string");
  const hashes = spots.filter(({ place, value }) => place.at(-1) === "data" && typeof value === "string");
  const numbers = spots.filter(({ value }) => typeof value === "number" || WHOLE.test(`${value}`));
  const lists = spots.filter(({ value }) => Array.isArray(value));
  return fc.oneof(
    { weight: 6, arbitrary: put(numbers, fc.oneof(fc.constantFrom(...NUMBERS, ...WIDE), nextTo())) },
    { weight: 4, arbitrary: put(handles, fc.oneof(fc.constantFrom(...names), otherName())) },
    { weight: 2, arbitrary: put(spots.filter(({ place }) => place.length > 0), fc.constantFrom(...OTHERS, undefined)) },
    { weight: 2, arbitrary: put(texts, fc.constantFrom(...cutBytes())) },
    { weight: 1, arbitrary: put(hashes, fc.constantFrom(...hashes.map(({ value }) => value as string))) },
    { weight: 2, arbitrary: put(lists, fc.constantFrom(...longer())) },
    { weight: 3, arbitrary: otherOrder(lines) },
    { weight: 1, arbitrary: cycles(lines) },
  );
}

/** A new value, or how the old one becomes the new one. */
type Put = unknown | ((old: unknown) => unknown);

function put(spots: readonly Spot[], values: fc.Arbitrary<Put>): fc.Arbitrary<Change> {
  return fc.tuple(fc.constantFrom(...spots), values).map(([{ line, place, value }, other]): Change => {
    const next = typeof other === "function" ? other(value) : other;
    const words = `line ${line + 1}, ${place.join(".")}: ${shown(value)} is ${shown(next)}`;
    return [words, (lines) => lines.with(line, withValue(lines[line], place, next) ?? null)];
  });
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "missing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** A number near the old one, written as the old one was. */
function nextTo(): fc.Arbitrary<Put> {
  const steps: ((old: number) => number)[] = [(old) => old + 1, (old) => old - 1, (old) => old * 2, (old) => -old];
  return fc.constantFrom(...steps).map((step) => (old: unknown) =>
    typeof old === "string" ? `${step(Number(old))}` : step(Number(old))
  );
}

/** A name that no line makes, or of another type. */
function otherName(): fc.Arbitrary<Put> {
  const others = [(old: string) => old.replace(/\d+$/, "987"), (old: string) => old.replace(/^Vk\w+/, "VkFence")];
  return fc.constantFrom(...others).map((other) => (old: unknown) => other(old as string));
}

function cutBytes(): Put[] {
  const change = (step: (old: string) => string) => (old: unknown) => step(old as string);
  return [
    change((old) => old.slice(2)),
    change((old) => old.slice(1)),
    change((old) => old + old),
    change((old) => old.repeat(1000)),
    change(() => ""),
    change((old) => "ff".repeat(old.length / 2)),
  ];
}

function longer(): Put[] {
  const times = (count: number) => (old: unknown) => Array.from({ length: count }, () => old as unknown[]).flat();
  return [times(2), times(300), times(20_000), (old: unknown) => (old as unknown[]).slice(1), () => []];
}

/** Lines that are missing, come twice, or stand elsewhere. */
function otherOrder(lines: Lines): fc.Arbitrary<Change> {
  const at = fc.integer({ min: 1, max: lines.length - 1 });
  const drop = at.map((from): Change => [`line ${from + 1} is missing`, (now) => now.toSpliced(from, 1)]);
  const twice = at.map((from): Change => [`line ${from + 1} comes twice`, (now) => now.toSpliced(from, 0, now[from])]);
  const moved = fc.tuple(at, at).map(([from, to]): Change => [
    `line ${from + 1} stands at ${to + 1}`,
    (now) => now.toSpliced(from, 1).toSpliced(to, 0, now[from]),
  ]);
  return fc.oneof(drop, twice, moved);
}

/** Values that contain or name themselves: a chain in a chain, what a call makes among what it uses. */
function cycles(lines: Lines): fc.Arbitrary<Change> {
  const at = fc.integer({ min: 1, max: lines.length - 1 });
  const own = at.map((
    line,
  ): Change => [`line ${line + 1} uses what it makes`, (now) => now.with(line, usingItself(now[line]))]);
  const deep = fc.tuple(at, fc.constantFrom(2, 50, 3000)).map(([line, depth]): Change => [
    `line ${line + 1} has a chain ${depth} deep`,
    (now) => now.with(line, withChain(now[line], depth)),
  ]);
  return fc.oneof(own, deep);
}

/** A call whose used objects are those that it makes, or its command buffer among its secondary ones. */
function usingItself(line: unknown): unknown {
  const { out, args } = line as { out?: object; args?: Record<string, unknown> };
  const made = [...Object.values(out ?? {}).flat(), args?.commandBuffer].find((value) => HANDLE.test(`${value}`));
  if (made === undefined) return line;
  const used = placesIn(args).filter((place) => HANDLE.test(`${valueAt(args, place)}`) && place.at(-1) !== "device");
  return { ...line as object, args: used.reduce((now, place) => withValue(now, place, made), args as unknown) };
}

function withChain(line: unknown, depth: number): unknown {
  const { args } = line as { args?: Record<string, unknown> },
    [name] = Object.keys(args ?? {}).filter((each) => /Info/.test(each));
  if (name === undefined) return line;
  let link: unknown = { sType: "VkMemoryAllocateFlagsInfo" };
  for (let level = 0; level < depth; level++) link = { sType: "VkMemoryAllocateFlagsInfo", pNext: [link] };
  return { ...line as object, args: { ...args, [name]: { ...args![name] as object, pNext: [link] } } };
}
