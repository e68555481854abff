import type { Outcome } from "./run_batch.ts";

/** The measurements of a test file when all tests ran. */
export interface FileRecord {
  /** The time of its tests. */
  readonly seconds: number;
  /** The number of processes of Deno that its tests started. */
  readonly deno: number;
  /** The number of other programs that its tests started, without the compilers, whose results are kept. */
  readonly others: number;
}

/** The measurements of a file in one run. */
export interface Seen extends FileRecord {
  /** Whether a test was skipped, so that the record may lack something. */
  readonly isPartial: boolean;
}

/** The records of all test files, by path. */
export type Records = Readonly<Record<string, FileRecord>>;

const PATH = new URL("record.json", import.meta.url);
/** Fixtures and shaders are compiled once; only the first run on a machine starts the compilers. */
const COMPILERS: readonly string[] = ["cc", "glslangValidator"];
/** A time is replaced if it differs by so many seconds, and by this factor. */
const LEAST_CHANGE = { seconds: 1, factor: 1.5 };

/** The records in the repository: by file, seconds, processes of Deno and other programs. */
export function readRecords(): Records {
  const rows: Record<string, readonly [number, number, number]> = JSON.parse(Deno.readTextFileSync(PATH));
  const entries = Object.entries(rows).map(([file, [seconds, deno, others]]) => [file, { seconds, deno, others }]);
  return Object.fromEntries(entries);
}

/** Writes records, a line for each file. */
export function writeRecords(records: Records): void {
  const lines = Object.keys(records).sort().map((file) => {
    const { seconds, deno, others } = records[file];
    return `  ${JSON.stringify(file)}: [${seconds}, ${deno}, ${others}]`;
  });
  Deno.writeTextFileSync(PATH, `{\n${lines.join(",\n")}\n}\n`);
}

/** Returns the measurements of a run's files. A batch whose process died says nothing. */
export function seenIn(outcomes: readonly Outcome[]): Readonly<Record<string, Seen>> {
  const seen: Record<string, Seen> = {};
  for (const { batch, results, notes } of outcomes) {
    if (results.length === 0) continue;
    for (const file of batch.files) {
      const own = results.filter((result) => fileOf(result.file, batch.files) === file);
      const seconds = own.reduce((sum, result) => sum + result.seconds, 0);
      const isPartial = own.some(({ status }) => status === "skipped");
      seen[file] = { seconds: rounded(seconds), ...programsOf(notes.started[file] ?? {}), isPartial };
    }
  }
  return seen;
}

/** The test file of a batch that a test belongs to. A helper of a room may define tests for the only file that uses it. */
function fileOf(file: string, files: readonly string[]): string | undefined {
  if (files.includes(file)) return file;
  const name = file.split("/").slice(-2).join("/");
  return files.find((path) => Deno.readTextFileSync(path).includes(name));
}

function programsOf(started: Readonly<Record<string, number>>): Pick<FileRecord, "deno" | "others"> {
  const others = Object.entries(started).filter(([name]) => name !== "deno" && !COMPILERS.includes(name));
  return { deno: started.deno ?? 0, others: others.reduce((sum, [, count]) => sum + count, 0) };
}

function rounded(seconds: number): number {
  return Math.round(10 * seconds) / 10;
}

/** The records after a run of all tests: a file's record stays unless it would say something else now. */
export function refreshed(before: Records, seen: Readonly<Record<string, Seen>>): Records {
  const entries = Object.entries(seen).map(([file, now]) => {
    const old = before[file];
    return [file, old && (now.isPartial || isAbout(old, now)) ? old : now] as const;
  });
  return Object.fromEntries(entries);
}

/** Whether a record is about what was seen. */
function isAbout(old: FileRecord, now: FileRecord): boolean {
  if (old.deno > 0 !== now.deno > 0 || old.others > 0 !== now.others > 0) return false;
  const [less, more] = [old.seconds, now.seconds].sort((a, b) => a - b);
  return more - less < LEAST_CHANGE.seconds || more < LEAST_CHANGE.factor * less;
}

/** The files that started programs, although their record says that they start none. */
export function untrue(records: Records, seen: Readonly<Record<string, Seen>>): string[] {
  const starts = ({ deno, others }: FileRecord) => deno + others > 0;
  return Object.keys(seen).filter((file) => records[file] && !starts(records[file]) && starts(seen[file]));
}
