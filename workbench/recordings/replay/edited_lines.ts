import type { RecordedLine } from "../record/line.ts";
import type { RecordedLines } from "./recording_file.ts";
import type { ReplayOptions } from "./options.ts";

/** Returns what to do instead of a line: one line or several, or nothing. */
type EditLine = NonNullable<ReplayOptions["edit"]>;

/**
 * Lines that a caller changes. Each line is given to the caller once, in the
 * first pass; what became of lines that were changed is kept for further passes.
 */
export class EditedLines implements RecordedLines {
  readonly #lines: RecordedLines;
  readonly #edit: EditLine;
  /** The new lines in place of those that were changed, by their indices before. */
  readonly #changed = new Map<number, readonly RecordedLine[]>();
  /** How many lines the caller has had. */
  #seen = 0;

  /** Nothing is changed before the lines are gone through. */
  constructor(lines: RecordedLines, edit: EditLine) {
    this.#lines = lines;
    this.#edit = edit;
  }

  /** The lines as they are after the change. */
  *entries(): Generator<[index: number, line: RecordedLine]> {
    let index = 0;
    for (const [at, line] of this.#lines.entries()) {
      if (at >= this.#seen) this.#change(at, line);
      for (const each of this.#changed.get(at) ?? [line]) yield [index++, each];
    }
  }

  #change(at: number, line: RecordedLine): void {
    const edited = this.#edit(structuredClone(line)) ?? [], lines = Array.isArray(edited) ? edited : [edited];
    this.#seen = at + 1;
    if (lines.length !== 1 || !isSame(lines[0], line)) this.#changed.set(at, lines);
  }
}

/** Whether two values have the same members. Bytes that are not in text count as changed. */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other || ArrayBuffer.isView(one)) return false;
  const members = Object.entries(one), others = other as Readonly<Record<string, unknown>>;
  return Array.isArray(one) === Array.isArray(other) && members.length === Object.keys(other).length &&
    members.every(([name, value]) => Object.hasOwn(others, name) && isSame(value, others[name]));
}
