import { assert } from "@std/assert";
import { openFiles, openTargets } from "../support/open_files.ts";

/** The number of times that the files are counted, with 5 ms between, before those that are left are a leak. */
const TURNS = 4000;

/**
 * Asserts that no more files are open than before. Fewer may be: a thread that
 * ended, also in a test before, closes its own a moment later, which on a busy
 * machine is seconds.
 */
export async function assertNoMoreFiles(before: number): Promise<void> {
  for (let turn = 0; turn < TURNS && openFiles() > before; turn++) await new Promise((done) => setTimeout(done, 5));
  assert(openFiles() <= before, `${openFiles()} files are open, ${before} were before: ${openTargets()}`);
}
