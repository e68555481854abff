/**
 * Frames in a storm: displays, producers, layers and virtual displays come and
 * go as a seed says, also in the middle of frames, and calls fail. Nothing may
 * be lost, and nothing may grow. `PUMICE_STORM=100000` makes it long.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import type { FlingerRelease } from "../../../hwc/flinger/frame/make_frame.ts";
import { openBuffers } from "../../../wsi/buffer/gralloc.ts";
import { collectGarbage } from "../../support/collect_garbage.ts";
import { mappings, openFiles } from "../../support/open_files.ts";
import { Storm } from "./storm/storm.ts";

const LONG = Number(Deno.env.get("PUMICE_STORM") ?? 0);
/** Bytes that a heap without garbage may differ by: compiled code, and what engines keep about it. */
const MOST_HEAP = 2 ** 21;

/** The numbers of open things, and the heap after its garbage was thrown away. */
function figures(): { open: number[]; heap: number } {
  collectGarbage();
  const files = openFiles();
  return { open: [files, openBlocks(), openBuffers(), mappings("gralloc")], heap: Deno.memoryUsage().heapUsed };
}

function weather(frames: number, seed: number, release: FlingerRelease): void {
  const before = openBuffers(), every = Math.ceil(frames / 5), seen: ReturnType<typeof figures>[] = [];
  {
    using storm = new Storm(seed, release);
    for (let frame = 1; frame <= frames; frame++) {
      storm.frame();
      if (frame % every !== 0) continue;
      storm.calm();
      seen.push(figures());
    }
    storm.assertStormy();
    if (LONG) console.log(storm.report, storm.flinger.statistics, seen, storm.said);
    const [, warm] = seen, last = seen.at(-1)!;
    for (const { open } of seen) assertEquals(open, warm.open, "open files, blocks, buffers and mappings");
    assert(last.heap - warm.heap < MOST_HEAP, `the heap grew from ${warm.heap} to ${last.heap} bytes`);
  }
  assertEquals(openBuffers(), before);
}

for (const [release, seed] of [[17, 1], [9, 2]] as const) {
  Deno.test(`a storm of hotplugs, power cycles and killed producers loses nothing and leaves nothing: release ${release}`, () => {
    weather(LONG || 4000, seed, release);
  });
}
