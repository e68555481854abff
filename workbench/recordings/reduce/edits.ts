import type { Fields, RecordedLine } from "../record/line.ts";

/** A change of one value in a line: another value, or none; or bits less, besides those that other edits take away. */
export interface Edit {
  /** Index of the line. */
  readonly line: number;
  /** The place of the value in a call's arguments, or in another line. */
  readonly path: readonly (string | number)[];
  /** The new value; {@linkcode GONE} takes the member or the item away. */
  readonly value: unknown;
}

/** The value of an edit that takes bits away from flags. */
export class Cleared {
  /** The bits. */
  readonly bits: number;

  /** Takes these bits away. */
  constructor(bits: number) {
    this.bits = bits;
  }
}

/** Stands for a member or an item that is left out. */
export const GONE: unique symbol = Symbol("left out");

/** Returns lines with some edits. Lines without any stay the same objects. */
export function edited(lines: readonly RecordedLine[], edits: readonly Edit[]): RecordedLine[] {
  const byLine = Map.groupBy(edits, ({ line }) => line);
  return lines.map((line, index) => {
    const own = byLine.get(index);
    if (!own) return line;
    const isCall = "command" in line, changed = (at: unknown, { path, value }: Edit) => withValue(at, path, value);
    const values = compacted(own.reduce<unknown>(changed, isCall ? line.args : line));
    return (isCall ? { ...line, args: values as Fields } : values) as RecordedLine;
  });
}

/** Lists and objects on the way are copied. What an earlier edit left out stays away. */
function withValue(at: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value instanceof Cleared ? (at as number) & ~value.bits : value;
  if (typeof at !== "object" || at === null) return at;
  const copy = (Array.isArray(at) ? [...at] : { ...at }) as Fields;
  copy[key] = withValue(copy[key], rest, value);
  return copy;
}

function compacted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.filter((each) => each !== GONE).map(compacted);
  const members = Object.entries(value).filter(([, each]) => each !== GONE);
  return Object.fromEntries(members.map(([name, each]) => [name, compacted(each)]));
}

/** Calls for every value in the arguments of the calls of a recording. */
export function everyValue(
  lines: readonly RecordedLine[],
  visit: (value: unknown, path: readonly (string | number)[], line: number, command: string) => void,
): void {
  for (const [index, line] of lines.entries()) {
    if ("command" in line) walk(line.args, [], (value, path) => visit(value, path, index, line.command));
  }
}

function walk(
  value: unknown,
  path: readonly (string | number)[],
  visit: (value: unknown, path: readonly (string | number)[]) => void,
): void {
  if (path.length > 0) visit(value, path);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  for (const [key, each] of Object.entries(value)) {
    walk(each, [...path, Array.isArray(value) ? Number(key) : key], visit);
  }
}
