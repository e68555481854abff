import { OptionError } from "../task.ts";
import { TEST_PRELOAD } from "./preload.ts";
import { walk } from "../walk.ts";

/** The tests of one process. */
export interface Batch {
  /** The batch's name: the folder of its files, with a number if there are several. */
  readonly name: string;
  /** The arguments of `deno test`, besides the permissions. */
  readonly args: readonly string[];
}

/** How many files a process gets at most: enough to make up for its start. */
const MOST_FILES = 12;
/** Files with examples in their documentation. No test file lies there. */
const DOCUMENTED: readonly string[] = [
  ...["README.md", "docs", "mod.ts", "check.ts", "perfetto.ts", "cli.ts", "cli"],
  ...["ffi", "loader", "wsi", "egl", "hwc", "compare", "examples", "tools"],
];

/** The tests below these files and folders; without any, all tests and all examples of the documentation. */
export function batchesOf(paths: readonly string[]): Batch[] {
  const tests = (paths.length > 0 ? paths : ["tests"]).flatMap(testsAt).sort();
  const folders = Map.groupBy(tests, (path) => path.split("/").slice(0, 3).join("/").replace(/\/[^/]+_test\.ts$/, ""));
  const batches = [...folders].flatMap(([folder, files]) => batchesIn(folder, files));
  return paths.length > 0 ? batches : [...batches, { name: "documentation", args: ["--doc", ...DOCUMENTED] }];
}

/** The test files at a path. Throws a `TypeError` where there is nothing. */
function testsAt(path: string): string[] {
  try {
    if (Deno.statSync(path).isFile) return [path];
  } catch {
    throw new OptionError(`There is no file or folder "${path}"; give one that holds tests, such as tests/ffi`);
  }
  return [...walk(path.replace(/\/$/, ""))].filter((file) => file.endsWith("_test.ts"));
}

/** A folder's files, dealt out evenly. The examples are type-checked; of the tests `deno task check` does that. */
function batchesIn(folder: string, files: readonly string[]): Batch[] {
  const count = Math.ceil(files.length / MOST_FILES), size = Math.ceil(files.length / count);
  return Array.from({ length: count }, (_, index) => ({
    name: count === 1 ? folder : `${folder} ${index + 1}`,
    args: ["--no-check", TEST_PRELOAD, ...files.slice(index * size, (index + 1) * size)],
  }));
}
