import { OptionError } from "../task.ts";
import { walk } from "../walk.ts";
import { TEST_PRELOAD } from "./preload.ts";
import type { Records } from "./record.ts";

/** The tests of one process. */
export interface Batch {
  /** The batch's name: the folder of its files, with a number if there are several. */
  readonly name: string;
  /** The test files, which share a process. */
  readonly files: readonly string[];
  /** The arguments of `deno test`, besides the permissions and the test files. */
  readonly args: readonly string[];
  /** About how many seconds it takes. */
  readonly seconds: number;
}

/** A process gets no more files when they take so many seconds. */
const MOST_SECONDS = 40;
/** Assumed seconds of a file without a record, of the examples of the documentation, and of a process's start. */
const UNKNOWN = 2, EXAMPLES = 40, START = 1;
/** Files with examples in their documentation. No test file lies there. */
const DOCUMENTED: readonly string[] = [
  ...["README.md", "docs", "mod.ts", "cli.ts", "cli"],
  ...["ffi", "loader", "wsi", "egl", "hwc", "workbench", "examples", "tools"],
];

/** The examples of the documentation. `deno task check` checks their types, as those of the tests. */
export const EXAMPLES_OF_DOCUMENTATION: Batch = {
  name: "documentation",
  files: [],
  args: ["--doc", "--no-check", TEST_PRELOAD, ...DOCUMENTED],
  seconds: EXAMPLES,
};

/** The test files below files and folders. Throws an `OptionError` where there is nothing. */
export function testFiles(paths: readonly string[] = ["tests"]): string[] {
  return [...new Set(paths.flatMap(testsAt))].sort();
}

function testsAt(path: string): string[] {
  try {
    if (Deno.statSync(path).isFile) return [path];
  } catch {
    throw new OptionError(`There is no file or folder "${path}"; give one that holds tests, such as tests/ffi`);
  }
  const files = [...walk(path.replace(/\/$/, ""))].filter((file) => file.endsWith("_test.ts"));
  if (files.length === 0) throw new OptionError(`The folder "${path}" holds no file whose name ends in _test.ts`);
  return files;
}

/** The room whose tests a file has: two folders deep. */
export function roomOf(file: string): string {
  return file.split("/").slice(0, 3).join("/").replace(/\/[^/]+_test\.ts$/, "");
}

/** The batches of test files: the files of a room share a process, unless they take long. */
export function batchesOf(files: readonly string[], records: Records): Batch[] {
  const secondsOf = (file: string) => records[file]?.seconds ?? UNKNOWN;
  return [...Map.groupBy(files, roomOf)].flatMap(([room, all]) => {
    const parts = partsOf(all, secondsOf);
    return parts.map((part, index) => ({
      name: parts.length === 1 ? room : `${room} ${index + 1}`,
      files: part,
      args: ["--no-check", TEST_PRELOAD],
      seconds: part.reduce((sum, file) => sum + secondsOf(file), START),
    }));
  });
}

/** Deals files out, in their order. */
function partsOf(files: readonly string[], secondsOf: (file: string) => number): string[][] {
  const parts: string[][] = [];
  let left = 0;
  for (const file of files) {
    const seconds = secondsOf(file);
    if (parts.length === 0 || seconds > left) {
      parts.push([]);
      left = MOST_SECONDS;
    }
    parts.at(-1)!.push(file);
    left -= seconds;
  }
  return parts;
}
