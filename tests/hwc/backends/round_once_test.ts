import { assert, assertEquals } from "@std/assert";
import { createReferenceBackend, createTsBackend } from "../../../hwc/backends/create.ts";
import { BLEND, DATASPACE, FORMAT, TRANSFORM } from "../../../hwc/types.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import { colorLayer, composed, layerOf, memoryOf, picture } from "./canvas.ts";
import { CPU } from "./scene.ts";

const ROUND_ONCE = { rule: "round-once" } as const;

Deno.test("compose() by round-once rounds a stack once, where bytes in between are off", () => {
  using backend = createReferenceBackend();
  const veils = [1, 2, 3, 4].map((z) =>
    colorLayer([0.1, 0.1, 0.1, 0.1], [0, 0, 1, 1], { blend: BLEND.PREMULTIPLIED, z })
  );
  // 1 − 0.9⁴ = 0.3439 of white is 87.69.
  assertEquals(composed(backend, [1, 1], veils, ROUND_ONCE)[0] & 0xff, 88);
});

Deno.test("compose() by round-once reads and writes ten bits and halves without a byte in between", () => {
  using backend = createReferenceBackend();
  using ten = picture(1, [0x40000000 | 513 << 20 | 2 << 10 | 1023], FORMAT.RGBA_1010102);
  using target = picture(1, [0], FORMAT.RGBA_1010102);
  using half = allocateBuffer({ width: 1, height: 1, format: FORMAT.RGBA_FP16, usage: CPU });
  backend.compose(target, [layerOf(ten)], ROUND_ONCE);
  assertEquals(memoryOf(target).getUint32(0, true), memoryOf(ten).getUint32(0, true));
  const view = memoryOf(half);
  [0.5, 1.5, -0.25, 1].forEach((value, c) => view.setFloat16(2 * c, value, true));
  using halves = allocateBuffer({ width: 1, height: 1, format: FORMAT.RGBA_FP16, usage: CPU });
  backend.compose(halves, [layerOf(half)], ROUND_ONCE);
  assertEquals([0, 1, 2, 3].map((c) => memoryOf(halves).getFloat16(2 * c, true)), [0.5, 1.5, -0.25, 1]);
  assertEquals(composed(backend, [1, 1], [layerOf(half)], ROUND_ONCE), [0xff00ff80]);
});

Deno.test("compose() converts sRGB to Display P3 and back, exactly and in integers", () => {
  using backend = createReferenceBackend();
  using red = picture(1, [0xff0000ff]);
  const layer = layerOf(red, { dataspace: DATASPACE.V0_SRGB });
  for (const rule of ["round-once", "p"] as const) {
    // sRGB's red in Display P3 is (0.91749, 0.20029, 0.13856), as CSS Color 4 has it.
    assertEquals(composed(backend, [1, 1], [layer], { rule, dataspace: DATASPACE.DISPLAY_P3 }), [0xff2333ea], rule);
    assertEquals(composed(backend, [1, 1], [layer], { rule, dataspace: DATASPACE.V0_SRGB }), [0xff0000ff], rule);
    assertEquals(composed(backend, [1, 1], [layer], { rule }), [0xff0000ff], `${rule}, not managed`);
  }
});

Deno.test("compose() turns and mirrors a picture in each way, by ts as by reference", () => {
  using reference = createReferenceBackend();
  using ts = createTsBackend();
  using buffer = picture(
    2,
    [0xff000001, 0xff000002, 0xff000003, 0xff000004].map((pixel) => pixel | (pixel & 0xff) << 14),
  );
  const shown: Record<string, number[]> = {
    NONE: [1, 2, 3, 4],
    FLIP_H: [2, 1, 4, 3],
    FLIP_V: [3, 4, 1, 2],
    ROT_180: [4, 3, 2, 1],
    ROT_90: [3, 1, 4, 2],
    ROT_270: [2, 4, 1, 3],
  };
  for (const [name, expected] of Object.entries(shown)) {
    const layer = layerOf(buffer, { transform: TRANSFORM[name as keyof typeof TRANSFORM] });
    for (const backend of [reference, ts]) {
      assertEquals(composed(backend, [2, 2], [layer]).map((pixel) => pixel & 0xff), expected, name);
    }
    const scaled = { ...layer, displayFrame: { left: 0, top: 0, right: 5, bottom: 3 } };
    const [one, other] = [reference, ts].map((backend) => composed(backend, [5, 3], [scaled]));
    assertEquals(other, one, `${name}, scaled`);
  }
});

Deno.test("compose() applies a layer's colour transform in linear light", () => {
  using backend = createReferenceBackend();
  const dim = [0.9, 0, 0, 0, 0, 0.9, 0, 0, 0, 0, 0.9, 0, 0, 0, 0, 1],
    swap = [0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 1];
  for (const rule of ["round-once", "p"] as const) {
    const draw = (colorTransform: number[], color: number) => {
      using buffer = picture(1, [color]);
      return composed(backend, [1, 1], [layerOf(buffer, { colorTransform })], { rule })[0];
    };
    assertEquals(draw(dim, 0xffffffff), 0xfff3f3f3, rule); // 243, as Android's own tests expect of 0.9
    assertEquals(draw(swap, 0xff000cff), 0xffbcff0c, rule); // red and green change places; blue is half of white: 188
  }
});

Deno.test("compose() by the P-rule is within two of exact YUV", () => {
  using backend = createReferenceBackend();
  const dataspaces = [0, DATASPACE.V0_JFIF, DATASPACE.V0_BT709, DATASPACE.BT2020, DATASPACE.BT2020_ITU_PQ];
  let most = 0, apart = 0;
  for (const dataspace of dataspaces) {
    using buffer = allocateBuffer({ width: 64, height: 64, format: FORMAT.YCBCR_420_888, usage: CPU });
    const { yBytes, cbBytes, crBytes, chromaStep, ystride, cstride } = buffer.lockYCbCr();
    for (let n = 0; n < 64 * 64; n++) yBytes[(n >> 6) * ystride + (n & 63)] = 16 + (n * 7 % 220);
    for (let n = 0; n < 32 * 32; n++) {
      const at = (n >> 5) * cstride + (n & 31) * chromaStep;
      cbBytes[at] = 16 + n * 5 % 225, crBytes[at] = 16 + (n >> 5) * 7 % 225;
    }
    buffer.unlock();
    const [exact, quick] = [ROUND_ONCE, {}].map((options) =>
      composed(backend, [64, 64], [layerOf(buffer, { dataspace })], options)
    );
    exact.forEach((word, n) => {
      for (const shift of [0, 8, 16]) {
        const difference = Math.abs((word >> shift & 255) - (quick[n] >> shift & 255));
        most = Math.max(most, difference), apart += Number(difference > 0);
      }
    });
  }
  assert(apart > 0, "the two rules are not told apart");
  assert(most <= 2, `${most} apart`);
});
