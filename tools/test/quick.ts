import { roomOf } from "./batches.ts";
import type { FileRecord, Records } from "./record.ts";

/** A file of the quick set takes so many seconds at most, and so many if it starts programs. */
const MOST_SECONDS = { alone: 2, withPrograms: 0.5 } as const;
/** The tests of what calls no native code. */
const TOOLS = "tests/tools/";

/**
 * The quick ones among test files, by their records: those that take a moment, and of each room of the product the
 * cheapest file with a process of Deno, in which a crash would be seen. A file without a record is one of them.
 */
export function quickFiles(files: readonly string[], records: Records): string[] {
  const chosen = new Set(files.filter((file) => !records[file] || isLight(records[file])));
  const withDeno = files.filter((file) => records[file]?.deno > 0 && !file.startsWith(TOOLS));
  for (const room of Map.groupBy(withDeno, roomOf).values()) {
    chosen.add(room.reduce((best, file) => records[file].seconds < records[best].seconds ? file : best));
  }
  return files.filter((file) => chosen.has(file));
}

function isLight({ seconds, deno, others }: FileRecord): boolean {
  return seconds <= (deno + others === 0 ? MOST_SECONDS.alone : MOST_SECONDS.withPrograms);
}
