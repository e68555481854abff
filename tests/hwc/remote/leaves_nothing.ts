import { assertEquals } from "@std/assert";
import { openBuffers } from "../../../wsi/buffer/gralloc.ts";
import { openFiles } from "../../support/open_files.ts";
import { assertNoMoreFiles } from "../../wsi/files_left.ts";

/** Runs twice, and counts what is open around the second time: the first opens for good what is opened once. */
export async function leavesNothing(run: () => void | Promise<void>): Promise<void> {
  await run();
  const files = openFiles(), buffers = openBuffers();
  await run();
  assertEquals(openBuffers(), buffers);
  await assertNoMoreFiles(files);
}
