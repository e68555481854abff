import { assert, assertEquals } from "@std/assert";
import { createKmsComposer } from "../../../../hwc/kms/create_kms_composer.ts";
import { BLEND, FORMAT } from "../../../../hwc/types.ts";
import { openFiles } from "../../../support/open_files.ts";
import { allocateBuffer } from "../../../../wsi/buffer/gralloc.ts";
import { USAGE } from "../../../../wsi/buffer/usage.ts";
import { assertNoMoreFiles } from "../../../wsi/files_left.ts";
import { opaqueLayer } from "../../core/frame.ts";
import { connectScreen, ON_CARDS, paintedBuffer, pixelsOf } from "./on_vkms.ts";

const SIZE = { width: 320, height: 200 };

Deno.test(
  "a virtual display is written by the card's writeback, as the client's composition would be",
  ON_CARDS,
  async () => {
    connectScreen("off"); // the card's only CRTC is free then
    try {
      await virtualRound();
      const before = openFiles();
      await virtualRound();
      await assertNoMoreFiles(before);
    } finally {
      connectScreen("on");
    }
  },
);

async function virtualRound(): Promise<void> {
  const errors: unknown[] = [], opened: Disposable[] = [];
  const buffer = (width: number, height: number, pixel: (x: number, y: number) => number) => {
    const made = paintedBuffer(width, height, pixel);
    opened.push(made);
    return made;
  };
  {
    await using composer = createKmsComposer({ card: { driver: "vkms" }, onError: (error) => errors.push(error) });
    const { display } = composer.createVirtualDisplay(SIZE.width, SIZE.height, FORMAT.RGBA_8888);
    opaqueLayer(composer, display, buffer(SIZE.width, SIZE.height, (x, y) => (0xff000000 | x * 77 ^ y * 3333) >>> 0));
    const frame = { left: 40, top: 30, right: 104, bottom: 78 };
    const above = opaqueLayer(composer, display, buffer(64, 48, (x) => x % 2 ? 0xff00ff00 : 0), { frame, z: 1 });
    composer.setLayerBlendMode(display, above, BLEND.PREMULTIPLIED);
    const output = buffer(SIZE.width, SIZE.height, () => 0xdeadbeef);
    for (let round = 0; round < 5; round++) {
      composer.setLayerDisplayFrame(display, above, { ...frame, left: frame.left + round, right: frame.right + round });
      composer.setOutputBuffer(display, output, null);
      assertEquals(composer.validateDisplay(display).numTypes, 0);
      assertEquals(composer.plan(display)!.stack.map(({ plane }) => plane), ["primary", "overlay1"]);
      using fence = composer.presentDisplay(display);
      assertEquals(fence.kind === "sync_file" || fence.kind === "signaled", true, fence.describe());
      await fence.ready();
      const pixels = pixelsOf(output), at = 30 * SIZE.width + 40 + round;
      assertEquals([pixels[at + 1], pixels[at]], [0xff00ff00, (0xff000000 | (40 + round) * 77 ^ 30 * 3333) >>> 0]);
    }
    // A picture that the card cannot write is the processor's work: memory of this process alone.
    const { width, height } = SIZE;
    using own = allocateBuffer({ width, height, format: FORMAT.RGB_565, usage: USAGE.CPU_READ_OFTEN });
    composer.setOutputBuffer(display, own, null);
    composer.validateDisplay(display);
    using fence = composer.presentDisplay(display);
    await fence.ready();
    assert(new Uint16Array(own.lock().buffer).subarray(0, width).some((pixel) => pixel !== 0));
    own.unlock();
    composer.destroyVirtualDisplay(display);
    const again = composer.createVirtualDisplay(SIZE.width, SIZE.height, FORMAT.RGBA_8888).display;
    composer.setOutputBuffer(again, output, null);
    composer.validateDisplay(again);
    using last = composer.presentDisplay(again);
    await last.ready();
    assertEquals(pixelsOf(output).every((pixel) => (pixel & 0xffffff) === 0), true);
  }
  for (const each of opened) each[Symbol.dispose]();
  assertEquals(errors, []);
}
