import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { type CompositionBackend, CompositionError } from "../../../hwc/backends/backend.ts";
import { createCpuBackend, createThreadedBackend } from "../../../hwc/backends/create.ts";
import { FORMAT, TRANSFORM } from "../../../hwc/types.ts";
import { allocateBuffer, openBuffers } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { MODIFIER } from "../../../wsi/buffer/modifier.ts";
import { allocateTiled, NVIDIA_LAYOUT } from "../../wsi/buffer/tiled.ts";
import { CANDIDATES, layerOf, wordsOf } from "./canvas.ts";
import { CPU } from "./scene.ts";

const WIDTH = 150, HEIGHT = 45;

/** Fills a buffer with words that are all different, through a lock. */
function drawn(buffer: GraphicBuffer, seed: number): GraphicBuffer {
  const bytes = buffer.lock(), words = new Uint32Array(bytes.buffer, 0, bytes.length >> 2);
  const pitch = buffer.rowPitch / 4;
  for (let y = 0; y < buffer.height; y++) {
    for (let x = 0; x < buffer.width; x++) words[y * pitch + x] = Math.imul(y * buffer.width + x + seed, 0x9e3779b1);
  }
  buffer.unlock();
  return buffer;
}

/** A target with two layers of a picture, one of them turned. */
function composed(backend: CompositionBackend, buffer: GraphicBuffer): number[] {
  using target = allocateBuffer({ width: 200, height: 160, format: FORMAT.RGBA_8888, usage: CPU });
  const sourceCrop = { left: 3, top: 5, right: WIDTH, bottom: 40 };
  const displayFrame = { left: 20, top: 8, right: 20 + 35, bottom: 8 + WIDTH - 3 };
  const turned = { sourceCrop, displayFrame, transform: TRANSFORM.ROT_90, z: 1 };
  const layers = [layerOf(buffer), layerOf(buffer, turned)];
  for (const layer of layers) assertEquals(backend.can(layer, target), true);
  backend.compose(target, layers);
  return wordsOf(target);
}

for (const { name, ignore, create } of CANDIDATES) {
  Deno.test(`${name} composes X and Y tiles as the same picture in rows`, { ignore }, () => {
    const before = openBuffers();
    {
      using backend = create();
      const request = { width: WIDTH, height: HEIGHT, format: FORMAT.RGBA_8888, usage: CPU };
      using rows = allocateBuffer(request);
      for (const modifier of [MODIFIER.I915_X_TILED, MODIFIER.I915_Y_TILED]) {
        using tiles = allocateTiled(request, modifier);
        for (const seed of [1, 2]) {
          assertEquals(composed(backend, drawn(tiles, seed)), composed(backend, drawn(rows, seed)));
        }
        backend.forget(tiles);
      }
    }
    assertEquals(openBuffers(), before);
  });
}

Deno.test("bands of several threads compose tiles, too", () => {
  using backend = createThreadedBackend({ painter: "ts", threads: 2, leastPixels: 1 }), plain = createCpuBackend();
  using tiles = allocateTiled(
    { width: WIDTH, height: HEIGHT, format: FORMAT.RGBA_8888, usage: CPU },
    MODIFIER.I915_Y_TILED,
  );
  drawn(tiles, 3);
  assertEquals(composed(backend, tiles), composed(plain, tiles));
});

Deno.test("a backend refuses tiles that it cannot read, in words, and never draws them as rows", () => {
  using backend = createCpuBackend();
  const request = { width: 16, height: 16, format: FORMAT.RGBA_8888, usage: CPU };
  using target = allocateBuffer(request);
  for (const modifier of [NVIDIA_LAYOUT, MODIFIER.INVALID]) {
    using tiles = allocateTiled(request, modifier);
    const layer = layerOf(tiles, { name: "video" }), answer = backend.can(layer, target);
    assert(answer !== true);
    assertStringIncludes(answer, "DRM_FORMAT_MOD_LINEAR");
    const error = assertThrows(() => backend.compose(target, [layer]), CompositionError, answer);
    assertStringIncludes(error.message, 'layer 0 "video"');
    assertEquals(wordsOf(target), Array(256).fill(0));
  }
});

Deno.test("a backend does not write into tiles", () => {
  using backend = createCpuBackend();
  const request = { width: 16, height: 16, format: FORMAT.RGBA_8888, usage: CPU };
  using tiles = allocateTiled(request, MODIFIER.I915_X_TILED), rows = allocateBuffer(request);
  const error = assertThrows(() => backend.compose(tiles, [layerOf(rows)]), CompositionError, "give linear rows");
  assertEquals(error.code, "bad-target");
});
