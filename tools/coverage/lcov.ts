/** The counts of a file or of a room: lines and branches, and how many of them ran. */
export interface Counts {
  readonly lines: number;
  readonly linesRun: number;
  readonly branches: number;
  readonly branchesRun: number;
}

/** The fields of a report about one file, by the member that each is. */
const FIELDS = { LF: "lines", LH: "linesRun", BRF: "branches", BRH: "branchesRun" } as const;
/** Generated files, which nobody writes tests for. */
const GENERATED = /(^|\/)gen\/|_gen\.(ts|js)$/;

/**
 * Reads a report in the format of lcov. Returns the counts of files of the product that people write, by their paths
 * below the root.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const text = "SF:/house/ffi/arena.ts\nBRF:4\nBRH:1\nLF:10\nLH:9\nend_of_record\n";
 * const counts = { lines: 10, linesRun: 9, branches: 4, branchesRun: 1 };
 * assertEquals([...readLcov(text, "/house/", ["ffi"])], [["ffi/arena.ts", counts]]);
 * ```
 */
export function readLcov(text: string, root: string, floors: readonly string[]): Map<string, Counts> {
  const files = new Map<string, Counts>();
  for (const record of text.split("end_of_record\n")) {
    const path = /^SF:(.*)$/m.exec(record)?.[1] ?? "", name = path.slice(root.length);
    if (!path.startsWith(root) || !floors.includes(name.split("/")[0]) || GENERATED.test(name)) continue;
    files.set(name, countsOf(record));
  }
  return files;
}

function countsOf(record: string): Counts {
  const counts = { lines: 0, linesRun: 0, branches: 0, branchesRun: 0 };
  for (const [, field, count] of record.matchAll(/^(LF|LH|BRF|BRH):(\d+)$/gm)) {
    counts[FIELDS[field as keyof typeof FIELDS]] = Number(count);
  }
  return counts;
}

/** The sum of counts. */
export function sumOf(all: Iterable<Counts>): Counts {
  const sum = { lines: 0, linesRun: 0, branches: 0, branchesRun: 0 };
  for (const counts of all) {
    for (const name of Object.values(FIELDS)) sum[name] += counts[name];
  }
  return sum;
}
