import { assert } from "@std/assert";
import { openFiles } from "../support/open_files.ts";

/**
 * Asserts that no more files are open than before. Fewer may be: a thread that
 * ended, also in a test before, closes its own a moment later.
 */
export async function assertNoMoreFiles(before: number): Promise<void> {
  for (let turn = 0; turn < 400 && openFiles() > before; turn++) await new Promise((done) => setTimeout(done, 5));
  assert(openFiles() <= before, `${openFiles()} files are open, ${before} were before`);
}
