import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { closeDescriptor, createMemoryFile, resizeFile } from "../../../ffi/file/file_descriptor.ts";
import type { BufferRequest } from "../../../wsi/buffer/check_request.ts";
import { FORMAT } from "../../../wsi/android_values.ts";
import {
  allocateBuffer,
  exportInts,
  type ForeignBuffer,
  importBuffer,
  importHandle,
  wrapDmaBuf,
} from "../../../wsi/buffer/gralloc.ts";
import { mappedBytes } from "../../../wsi/buffer/cpu_access.ts";
import { registerLayout } from "../../../wsi/buffer/layout.ts";
import { MODIFIER } from "../../../wsi/buffer/modifier.ts";
import { rowsOfTiles, tiledSize, tilesOfRows, tilingOf } from "../../../wsi/buffer/tiling.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { WsiError } from "../../../wsi/error.ts";
import { allocateTiled, NVIDIA_LAYOUT } from "./tiled.ts";

const CPU = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
const PICTURE: BufferRequest = { width: 100, height: 11, format: FORMAT.RGBA_8888, usage: CPU };

/** The place of a byte, as Intel's manuals have it: one address at a time. */
const PLACES: ReadonlyMap<bigint, (x: number, y: number, pitch: number) => number> = new Map([
  [
    MODIFIER.I915_X_TILED,
    (x, y, pitch) => ((y >> 3) * (pitch / 512) + (x >> 9)) * 4096 + (y & 7) * 512 + (x & 511),
  ],
  [
    MODIFIER.I915_Y_TILED,
    (x, y, pitch) => ((y >> 5) * (pitch / 128) + (x >> 7)) * 4096 + ((x & 127) >> 4) * 512 + (y & 31) * 16 + (x & 15),
  ],
]);

Deno.test("X and Y tiles become rows and rows tiles, as one byte after the other does", () => {
  for (const [modifier, place] of PLACES) {
    const tiling = tilingOf(modifier)!;
    for (const [across, height] of [[1, 1], [1, tiling.height], [3, tiling.height + 1], [2, 3 * tiling.height - 1]]) {
      const rowPitch = across * tiling.width, picture = { tiling, rowPitch, height };
      const tiles = new Uint8Array(tiledSize(picture)), expected = new Uint8Array(rowPitch * height);
      tiles.forEach((_, at) => tiles[at] = Math.imul(at, 2654435761) >>> 24);
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < rowPitch; x++) expected[y * rowPitch + x] = tiles[place(x, y, rowPitch)];
      }
      const rows = new Uint32Array(expected.length / 4), back = new Uint32Array(tiles.length / 4);
      rowsOfTiles(new Uint32Array(tiles.buffer), rows, picture);
      assertEquals(new Uint8Array(rows.buffer), expected);
      tilesOfRows(rows, back, picture);
      const again = new Uint32Array(rows.length);
      rowsOfTiles(back, again, picture);
      assertEquals(again, rows);
      assert(back.some((word) => word !== 0));
    }
  }
});

Deno.test("lock() shows tiles as rows, and the writes of a lock are in tiles after unlock()", () => {
  for (const [modifier, place] of PLACES) {
    using buffer = allocateTiled(PICTURE, modifier);
    const { rowPitch, height } = buffer;
    assertEquals([buffer.modifier, buffer.memory.size >= 16 * rowPitch], [modifier, true]);
    const rows = buffer.lock();
    assertEquals(rows.length, rowPitch * height);
    rows.forEach((_, at) => rows[at] = at * 7);
    buffer.unlock();
    assertEquals(rows.length, 0);
    const tiles = new Uint8Array(mappedBytes(buffer.memory));
    for (const [x, y] of [[0, 0], [17, 9], [399, 10], [130, 3]]) {
      assertEquals(tiles[place(x, y, rowPitch)], (y * rowPitch + x) * 7 & 255);
    }
    buffer.lock(USAGE.CPU_READ_OFTEN).fill(0); // only read: what is written there is lost
    buffer.unlock();
    using again = importHandle(buffer.handle);
    assertEquals([again.modifier, again.lock()[9 * rowPitch + 17]], [modifier, (9 * rowPitch + 17) * 7 & 255]);
  }
});

Deno.test("a buffer in tiles that the processor does not know is not locked, in words", () => {
  for (
    const [modifier, words] of [
      [NVIDIA_LAYOUT, "NVIDIA's layout 0x300000000606010"],
      [MODIFIER.INVALID, "a layout that only its driver knows"],
    ] as const
  ) {
    using buffer = allocateTiled(PICTURE, modifier);
    const error = assertThrows(() => buffer.lock(), WsiError, words);
    assertStringIncludes(error.message, "DRM_FORMAT_MOD_LINEAR");
    assertEquals(error.code, "not-allowed");
  }
});

Deno.test("a handle of a linear buffer is as before, and one of tiles has two ints more", () => {
  using linear = allocateBuffer(PICTURE);
  assertEquals([exportInts(linear).length, linear.modifier], [13, MODIFIER.LINEAR]);
  for (const modifier of [MODIFIER.I915_Y_TILED, NVIDIA_LAYOUT, MODIFIER.INVALID]) {
    using tiled = allocateTiled(PICTURE, modifier);
    const ints = exportInts(tiled);
    assertEquals(ints.length, 15);
    using again = importBuffer(tiled.memory.fd, ints);
    assertEquals([again.modifier, again.id], [modifier, tiled.id]);
    using shared = again.retain();
    assertEquals(shared.modifier, modifier);
  }
});

Deno.test("wrapDmaBuf() takes memory of others as it is said to lie, and refuses what does not fit", () => {
  const fd = createMemoryFile("foreign");
  assert(resizeFile(fd, 8192n));
  const tiles = { ...PICTURE, rowPitch: 512, modifier: MODIFIER.I915_X_TILED };
  using buffer = wrapDmaBuf(fd, tiles);
  assertEquals([buffer.stride, buffer.rowPitch, buffer.modifier, buffer.memory.size], [128, 512, tiles.modifier, 8192]);
  using rows = wrapDmaBuf(fd, { ...PICTURE, rowPitch: 400 });
  assertEquals([rows.stride, rows.modifier], [100, MODIFIER.LINEAR]);
  const refused = (change: Partial<ForeignBuffer>, words: string) =>
    assertThrows(() => wrapDmaBuf(fd, { ...tiles, ...change }), WsiError, words);
  refused({ rowPitch: 640 }, "in Intel's X tiles");
  refused({ height: 17 }, "8192 bytes");
  refused({ width: 200 }, "rows of 512 bytes");
  refused({ format: FORMAT.YV12 }, "a YV12 buffer");
  assertThrows(() => wrapDmaBuf(-1, tiles), WsiError, "0 bytes");
  closeDescriptor(fd);
});

Deno.test("a layout rule that wants tiles in rows that have none is refused", () => {
  const rule = registerLayout(() => ({ rowPitch: 640, size: 0, modifier: MODIFIER.I915_X_TILED }));
  const allocate = () => allocateBuffer({ ...PICTURE, usage: CPU | rule.usage });
  assertEquals(assertThrows(allocate, WsiError, "give a multiple of 512").code, "bad-layout");
  rule.forget();
});
