/** The pixels that every backend must draw, worked out by hand. */
import { assertEquals } from "@std/assert";
import type { CompositionBackend } from "../../../hwc/backends/backend.ts";
import { BLEND, DATASPACE, FORMAT, TRANSFORM } from "../../../hwc/types.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import { CANDIDATES, colorLayer, composed, layerOf, memoryOf, picture } from "./canvas.ts";
import { assertTransparentStays } from "./compare.ts";
import { CPU } from "./scene.ts";

const CASES: Readonly<Record<string, (backend: CompositionBackend) => void>> = {
  "eight transforms"(backend) {
    const [a, b, c, d, e, f] = [0xff000001, 0xff000002, 0xff000003, 0xff000004, 0xff000005, 0xff000006];
    using buffer = picture(3, [a, b, c, d, e, f]);
    const expected: [number, number, number[]][] = [
      [TRANSFORM.NONE, 3, [a, b, c, d, e, f]],
      [TRANSFORM.FLIP_H, 3, [c, b, a, f, e, d]],
      [TRANSFORM.FLIP_V, 3, [d, e, f, a, b, c]],
      [TRANSFORM.ROT_180, 3, [f, e, d, c, b, a]],
      [TRANSFORM.ROT_90, 2, [d, a, e, b, f, c]],
      [TRANSFORM.FLIP_H_ROT_90, 2, [f, c, e, b, d, a]],
      [TRANSFORM.FLIP_V_ROT_90, 2, [a, d, b, e, c, f]],
      [TRANSFORM.ROT_270, 2, [c, f, b, e, a, d]],
    ];
    for (const [transform, width, words] of expected) {
      const displayFrame = { left: 0, top: 0, right: width, bottom: 6 / width };
      const drawn = composed(backend, [width, 6 / width], [layerOf(buffer, { transform, displayFrame })]);
      assertEquals(drawn, words, `transform ${transform}`);
    }
  },
  "premultiplied pixels over others, with and without plane alpha"(backend) {
    using below = picture(1, [0xff6496c8]), above = picture(1, [0x80402010]);
    const over = (planeAlpha: number) =>
      composed(backend, [1, 1], [layerOf(below), layerOf(above, { blend: BLEND.PREMULTIPLIED, planeAlpha, z: 1 })]);
    // 200·127/255 = 99.6, 150·127/255 = 74.7, 100·127/255 = 49.8, 255·127/255 = 127
    assertEquals(over(1), [word(16 + 100, 32 + 75, 64 + 50, 255)]);
    // alpha ½ is 128: 8, 16, 32, 64; then the rest is 191: 149.8, 112.4, 74.9, 191
    assertEquals(over(0.5), [word(8 + 150, 16 + 112, 32 + 75, 64 + 191)]);
    assertEquals(over(0), [0xff6496c8]);
  },
  "colours brighter than their alpha without running over"(backend) {
    using below = picture(1, [0xffffffff]), above = picture(1, [0x10ff8001]);
    const layers = [layerOf(below), layerOf(above, { blend: BLEND.PREMULTIPLIED, z: 1 })];
    assertEquals(composed(backend, [1, 1], layers), [word(240, 255, 255, 255)]); // 1 + 239 in red
  },
  "transparent pixels under a colour transform"(backend) {
    if (backend.name === "pixman") return; // which leaves conversions to others
    assertTransparentStays(backend);
    if (backend.name === "reference") assertTransparentStays(backend, { rule: "round-once" });
  },
  "half way between pixels"(backend) {
    using buffer = picture(2, [word(0, 10, 20, 255), word(255, 20, 40, 255)]);
    const displayFrame = { left: 0, top: 0, right: 4, bottom: 1 };
    // Centres are at -¼, ¼, ¾ and 1¼ of the first pixel's: weights of 0, 32, 96 of 128, and 0 of the last.
    const expected = [word(0, 10, 20, 255), word(63, 12, 25, 255), word(191, 17, 35, 255), word(255, 20, 40, 255)];
    assertEquals(composed(backend, [4, 1], [layerOf(buffer, { displayFrame })]), expected);
  },
  "a crop without a trace of what is around it"(backend) {
    const inside = word(1, 2, 3, 255), outside = 0xffffffff, rim = Array(4).fill(outside);
    using buffer = picture(4, [...rim, outside, inside, inside, outside, outside, inside, inside, outside, ...rim]);
    const sourceCrop = { left: 1, top: 1, right: 3, bottom: 3 },
      displayFrame = { left: 0, top: 0, right: 5, bottom: 5 };
    const drawn = composed(backend, [5, 5], [layerOf(buffer, { sourceCrop, displayFrame })]);
    assertEquals(drawn, Array(25).fill(inside));
  },
  "a frame that reaches beyond the display, over the background"(backend) {
    using buffer = picture(3, [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => 0xff000000 + n));
    const displayFrame = { left: -1, top: -2, right: 2, bottom: 1 };
    const options = { background: { r: 0, g: 0, b: 1, a: 1 } };
    const drawn = composed(backend, [3, 2], [layerOf(buffer, { displayFrame })], options);
    assertEquals(drawn, [0xff000008, 0xff000009, 0xffff0000, 0xffff0000, 0xffff0000, 0xffff0000]);
  },
  "colours of layers without a buffer"(backend) {
    const red = colorLayer([1, 0, 0, 1], [0, 0, 2, 1]);
    const veil = colorLayer([0, 0.5, 0, 0.5], [1, 0, 3, 1], { blend: BLEND.PREMULTIPLIED, z: 1 });
    // 128 of green with alpha 128 over 255 of red: 127 is left.
    assertEquals(composed(backend, [3, 1], [veil, red]), [
      word(255, 0, 0, 255),
      word(127, 128, 0, 255),
      word(0, 128, 0, 128),
    ]);
  },
  "formats of every order"(backend) {
    const formats: [number, number][] = [
      [FORMAT.RGBA_8888, word(10, 20, 30, 40)],
      [FORMAT.RGBX_8888, word(10, 20, 30, 255)],
      [FORMAT.BGRA_8888, word(30, 20, 10, 40)],
      [FORMAT.RGB_888, word(10, 20, 30, 255)],
      [FORMAT.RGB_565, word(8, 65, 82, 255)], // 0x140a: red 2 → 16, green 32 → 130, blue 10 → 82
    ];
    for (const [format, expected] of formats) {
      using buffer = allocateBuffer({ width: 1, height: 1, format, usage: CPU });
      [10, 20, 30, 40].forEach((byte, at) => memoryOf(buffer).setUint8(at, byte));
      const words = composed(backend, [1, 1], [layerOf(buffer)]);
      assertEquals(words, format === FORMAT.RGB_565 ? [word(16, 130, 82, 255)] : [expected], `format ${format}`);
    }
  },
  "YUV of three kinds"(backend) {
    const kinds: [number, number, readonly [number, number, number], number][] = [
      [FORMAT.YV12, 0, [235, 128, 128], word(255, 255, 255, 255)],
      [FORMAT.YCBCR_420_888, 0, [16, 128, 128], word(0, 0, 0, 255)],
      [FORMAT.YCRCB_420_SP, DATASPACE.V0_JFIF, [76, 85, 255], word(255, 0, 0, 255)], // JFIF's red: (4863 + 32 + 127·90) / 64
    ];
    for (const [format, dataspace, [y, cb, cr], expected] of kinds) {
      using buffer = allocateBuffer({ width: 4, height: 2, format, usage: CPU });
      const { yBytes, cbBytes, crBytes, chromaStep, ystride } = buffer.lockYCbCr();
      for (let n = 0; n < 8; n++) yBytes[(n >> 2) * ystride + n % 4] = y;
      for (let n = 0; n < 2; n++) cbBytes[n * chromaStep] = cb, crBytes[n * chromaStep] = cr;
      buffer.unlock();
      assertEquals(
        composed(backend, [4, 2], [layerOf(buffer, { dataspace })]),
        Array(8).fill(expected),
        `format ${format}`,
      );
    }
  },
};

for (const { name, ignore, create } of CANDIDATES) {
  Deno.test({
    name: `${name} draws what was worked out by hand`,
    ignore,
    async fn(t) {
      using backend = create();
      for (const [what, check] of Object.entries(CASES)) await t.step(what, () => check(backend));
    },
  });
}

function word(r: number, g: number, b: number, a: number): number {
  return (a << 24 | b << 16 | g << 8 | r) >>> 0;
}
