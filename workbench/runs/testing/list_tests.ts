import { startFile } from "./file_process.ts";
import type { GpuTestOutline } from "./options.ts";
import type { Listing } from "./task.ts";

/** Milliseconds that a file may take to be loaded. */
const LOADING = 60_000;

/** A test of a file, and the line of the call that defines the test. */
export interface ListedTest extends GpuTestOutline {
  /** The line, from 1; absent if the call is not known. */
  readonly line?: number;
}

/** The tests of a file. */
export interface ListedFile {
  /** The tests, in order. */
  readonly tests: readonly ListedTest[];
  /** The reason why tests may be missing: the file could not be loaded, or not in time. No test of the file can run. */
  readonly problem?: string;
}

/**
 * Lists the tests of a file: loads the file in a process of its own, which may crash or hang. No test runs.
 *
 * @param file The file's address.
 */
export async function listTests(file: string, signal?: AbortSignal): Promise<ListedFile> {
  const list = Deno.makeTempFileSync({ prefix: "gpu-test-" });
  try {
    const problem = await load(file, { list }, signal);
    const tests = Deno.readTextFileSync(list).split("\n").filter(Boolean).map((line): ListedTest => JSON.parse(line));
    return { tests, ...problem === undefined ? {} : { problem } };
  } finally {
    Deno.removeSync(list);
  }
}

async function load(file: string, listing: Listing, signal?: AbortSignal): Promise<string | undefined> {
  const child = startFile(file, listing);
  let isLate = false;
  const end = () => child.kill(),
    timer = setTimeout(() => {
      isLate = true;
      end();
    }, LOADING);
  signal?.addEventListener("abort", end);
  if (signal?.aborted) end();
  const [status, [, words]] = await Promise.all([child.ended, child.printed]);
  clearTimeout(timer);
  signal?.removeEventListener("abort", end);
  if (isLate) return `it was not loaded after ${LOADING} ms: what keeps Deno from ending?`;
  if (status.success) return undefined;
  return words.trim() || `its process ended with ${status.signal ?? status.code}`;
}
