import { assertEquals } from "@std/assert";
import fc from "fast-check";
import * as g from "../../../egl/gl.ts";
import { imageSize, indexSize, pixelSize } from "../../../egl/command/pixels.ts";

const STORE = { alignment: 4, rowLength: 0, imageHeight: 0, skip: [0, 0, 0] } as const;

Deno.test("pixelSize() knows components and packed types", () => {
  assertEquals(pixelSize(g.GL_RGBA, g.GL_UNSIGNED_BYTE), 4);
  assertEquals(pixelSize(g.GL_RGB, g.GL_HALF_FLOAT), 6);
  assertEquals(pixelSize(g.GL_RGB, g.GL_UNSIGNED_SHORT_5_6_5), 2);
  assertEquals(pixelSize(g.GL_DEPTH_STENCIL, g.GL_FLOAT_32_UNSIGNED_INT_24_8_REV), 8);
  assertEquals([pixelSize(g.GL_RGBA, 1), pixelSize(7, g.GL_FLOAT)], [undefined, undefined]);
});

Deno.test("indexSize() returns the sizes of the three types of indices", () => {
  assertEquals([g.GL_UNSIGNED_BYTE, g.GL_UNSIGNED_SHORT, g.GL_UNSIGNED_INT, g.GL_FLOAT].map(indexSize), [
    1,
    2,
    4,
    undefined,
  ]);
});

Deno.test("imageSize() pads rows but not the last, and counts what is skipped", () => {
  assertEquals(imageSize([3, 2, 1], g.GL_RGB, g.GL_UNSIGNED_BYTE, STORE), 12 + 9);
  assertEquals(imageSize([3, 2, 1], g.GL_RGB, g.GL_UNSIGNED_BYTE, { ...STORE, alignment: 1 }), 18);
  assertEquals(
    imageSize([2, 2, 1], g.GL_RGBA, g.GL_UNSIGNED_BYTE, { ...STORE, rowLength: 8, skip: [1, 1, 0] }),
    64 + 12,
  );
  assertEquals(imageSize([0, 5, 1], g.GL_RGBA, g.GL_UNSIGNED_BYTE, STORE), 0);
});

Deno.test("imageSize() is the end of the last pixel", () => {
  const side = fc.integer({ min: 1, max: 9 }), skip = fc.integer({ min: 0, max: 3 });
  fc.assert(
    fc.property(side, side, side, skip, fc.constantFrom(1, 2, 4, 8), (width, height, depth, skipped, alignment) => {
      const store = { alignment, rowLength: width + skipped, imageHeight: height, skip: [skipped, 0, 0] as const };
      const row = Math.ceil((width + skipped) * 3 / alignment) * alignment;
      const end = ((depth - 1) * height + height - 1) * row + (skipped + width) * 3;
      assertEquals(imageSize([width, height, depth], g.GL_RGB, g.GL_UNSIGNED_BYTE, store), end);
    }),
  );
});
