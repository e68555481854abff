import { assert, assertEquals } from "@std/assert";
import { openBlocks } from "../../ffi/block.ts";
import { mappings, openFiles, openTargets } from "../support/open_files.ts";

/**
 * Runs twice, and counts what is open around the second time: the first binds functions for good. Fewer files may be open
 * than before: a thread that a test before has ended closes its own a moment later.
 */
export function leavesNothing(run: () => void): void {
  run();
  const files = openFiles(), before = [openBlocks(), mappings("gralloc")];
  run();
  assertEquals([openBlocks(), mappings("gralloc")], before, "open blocks and mappings");
  const left = openFiles();
  assert(left <= files, `${left} files are open, ${files} were before: ${openTargets()}`);
}
