import { assertEquals } from "@std/assert";
import { openBlocks } from "../../ffi/block.ts";
import { mappings, openFiles } from "../support/open_files.ts";

/** Runs twice, and counts what is open around the second time: the first binds functions for good. */
export function leavesNothing(run: () => void): void {
  run();
  const before = [openFiles(), openBlocks(), mappings("gralloc")];
  run();
  assertEquals([openFiles(), openBlocks(), mappings("gralloc")], before, "open files, blocks and mappings");
}
