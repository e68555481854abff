import { statusText } from "./judge.ts";
import { type DeqpCase, type DeqpStatus, isGood } from "./status.ts";

/** A case with two different results; `undefined` where it was not run. */
export interface DeqpChange {
  /** The name. */
  readonly name: string;
  /** The status before, or on the first driver. */
  readonly before: DeqpStatus | undefined;
  /** The status afterwards, or on the second driver. */
  readonly after: DeqpStatus | undefined;
}

/** The differences between two runs. */
export interface DeqpDiff {
  /** Cases that failed only the second time. */
  readonly broken: readonly DeqpChange[];
  /** Cases that failed only the first time. */
  readonly fixed: readonly DeqpChange[];
  /** Cases that failed both times, or passed both times, with different statuses. */
  readonly changed: readonly DeqpChange[];
  /** Cases in only one of the runs. */
  readonly alone: readonly DeqpChange[];
  /** The number of cases with the same status. */
  readonly same: number;
}

/**
 * Compares two runs, of two drivers or of one before and after a change.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const one = [{ name: "a", status: "Pass", message: "" }] as const;
 * const other = [{ name: "a", status: "Crash", message: "" }] as const;
 * assertEquals(diffDeqp(one, other).broken, [{ name: "a", before: "Pass", after: "Crash" }]);
 * ```
 */
export function diffDeqp(before: readonly DeqpCase[], after: readonly DeqpCase[]): DeqpDiff {
  const [first, second] = [before, after].map((results) => new Map(results.map(({ name, status }) => [name, status])));
  const names = [...new Set([...first.keys(), ...second.keys()])].sort();
  const all = names.map((name): DeqpChange => ({ name, before: first.get(name), after: second.get(name) }));
  const both = all.filter((each) => each.before !== undefined && each.after !== undefined);
  const different = both.filter((each) => each.before !== each.after);
  const good = (status: DeqpStatus | undefined) => isGood(status!);
  return {
    broken: different.filter((each) => good(each.before) && !good(each.after)),
    fixed: different.filter((each) => !good(each.before) && good(each.after)),
    changed: different.filter((each) => good(each.before) === good(each.after)),
    alone: all.filter((each) => each.before === undefined || each.after === undefined),
    same: both.length - different.length,
  };
}

/**
 * Formats a diff for people.
 *
 * @example
 * ```ts
 * import { diffDeqp, diffText, parseResults } from "@pumice/gfx/check";
 * import { assertEquals } from "@std/assert";
 *
 * const diff = diffDeqp(parseResults("a.b,Pass"), parseResults("a.b,Crash"));
 * assertEquals(diffText(diff), "Fails now (1)\n  a.b: passed → crashed\n0 ended the same way");
 * ```
 */
export function diffText({ broken, fixed, changed, alone, same }: DeqpDiff): string {
  const part = (title: string, changes: readonly DeqpChange[]) =>
    changes.length === 0 ? [] : [
      `${title} (${changes.length})`,
      ...changes.map(({ name, before, after }) => `  ${name}: ${wordOf(before)} → ${wordOf(after)}`),
    ];
  const lines = [
    ...part("Fails now", broken),
    ...part("Fails no more", fixed),
    ...part("Ends otherwise", changed),
    ...part("In one run only", alone),
  ];
  return [...lines, `${same} ended the same way`].join("\n");
}

function wordOf(status: DeqpStatus | undefined): string {
  return status === undefined ? "not run" : statusText(status);
}
