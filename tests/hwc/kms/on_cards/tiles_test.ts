import { assertEquals, assertStringIncludes } from "@std/assert";
import { createTsBackend } from "../../../../hwc/backends/create.ts";
import { openCard } from "../../../../hwc/kms/card/card.ts";
import { COMPOSITION, FORMAT } from "../../../../hwc/types.ts";
import { explainText } from "../../../../loader/driver/report/finding.ts";
import type { GraphicBuffer } from "../../../../wsi/buffer/graphic_buffer.ts";
import { MODIFIER } from "../../../../wsi/buffer/modifier.ts";
import { USAGE } from "../../../../wsi/buffer/usage.ts";
import { allocateTiled } from "../../../wsi/buffer/tiled.ts";
import { layerOf } from "../../backends/canvas.ts";
import { opaqueLayer } from "../../core/frame.ts";
import { ON_CARDS, SIZE, Vkms } from "./on_vkms.ts";

const USE = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN | USAGE.COMPOSER_OVERLAY;
const pixel = (x: number, y: number) => (0xff000000 | x * 2654435 ^ y * 977) >>> 0;

/** A dma-buf in tiles of the screen's size. */
function tiledScreen(modifier: bigint): GraphicBuffer {
  const buffer = allocateTiled({ ...SIZE, format: FORMAT.RGBA_8888, usage: USE }, modifier), bytes = buffer.lock();
  const words = new Uint32Array(bytes.buffer, 0, bytes.length >> 2), pitch = buffer.rowPitch / 4;
  for (let y = 0; y < SIZE.height; y++) for (let x = 0; x < SIZE.width; x++) words[y * pitch + x] = pixel(x, y);
  buffer.unlock();
  return buffer;
}

Deno.test("vkms lists rows alone, and a framebuffer with that modifier is shown to the bit", ON_CARDS, async () => {
  {
    using card = openCard({ driver: "vkms" });
    assertEquals(card.capabilities.modifiers, true);
    for (const { modifiers } of card.planes) {
      assertEquals([...modifiers.values()], Array(modifiers.size).fill([MODIFIER.LINEAR]));
    }
  }
  await using vkms = new Vkms();
  const buffer = vkms.buffer(SIZE.width, SIZE.height, pixel);
  opaqueLayer(vkms.composer, vkms.display, buffer);
  assertEquals(await vkms.shown(), expectedPixels());
  assertEquals([buffer.memory.kind, vkms.errors], ["dma-buf", []]);
});

Deno.test("tiles are the client's on vkms, which says why, and are shown to the bit", ON_CARDS, async () => {
  await using vkms = new Vkms();
  using backend = createTsBackend();
  const { composer, display } = vkms, target = vkms.buffer(SIZE.width, SIZE.height, () => 0);
  for (const modifier of [MODIFIER.I915_X_TILED, MODIFIER.I915_Y_TILED]) {
    using tiles = tiledScreen(modifier);
    const layer = opaqueLayer(composer, display, tiles);
    composer.validateDisplay(display);
    assertEquals(composer.getChangedCompositionTypes(display), [{ layer, type: COMPOSITION.CLIENT }]);
    assertStringIncludes(explainText(composer.plan(display)!.explain()), "which no plane of the card reads");
    backend.compose(target, [layerOf(tiles)]);
    composer.setClientTarget(display, target, null, 0, []);
    assertEquals(await vkms.shown(), expectedPixels());
    composer.destroyLayer(display, layer);
    backend.forget(tiles);
  }
  assertEquals(vkms.errors, []);
});

/** The screen as writebacks of vkms give it. */
function expectedPixels(): Uint32Array {
  const { width, height } = SIZE;
  return Uint32Array.from({ length: width * height }, (_, at) => pixel(at % width, Math.floor(at / width)));
}
