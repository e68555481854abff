import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { HAL_FORMATS, halFormatOf, NV12 } from "../../../wsi/buffer/hal_format.ts";
import { align, endOf, type Layout, layOut } from "../../../wsi/buffer/layout.ts";

const EVEN = fc.integer({ min: 1, max: 1500 }).map((half) => 2 * half);
const ANY = fc.integer({ min: 1, max: 3000 });
const FORMATS = [...HAL_FORMATS.filter(({ arrangement }) => arrangement !== "chosen"), NV12];
const YV12 = halFormatOf(0x32315659)!;

/** The bytes of every sample of a small buffer, by what they are. */
function samples({ planes, ycbcr }: Layout, width: number, height: number, down: number, bytes: number): number[] {
  if (!ycbcr) return planes.flatMap((plane) => rows(plane.offset, plane.rowPitch, plane.rows, plane.rowBytes, 1, 1));
  const { y, cb, cr, ystride, cstride, chromaStep } = ycbcr;
  const across = down < 0 ? 1 : 2, high = Math.ceil(height / Math.max(1, down)), wide = Math.ceil(width / across);
  return [
    ...rows(y, ystride, height, width, bytes, bytes),
    ...rows(cb, cstride, high, wide, chromaStep, bytes),
    ...rows(cr, cstride, high, wide, chromaStep, bytes),
  ];
}

function rows(start: number, pitch: number, count: number, wide: number, step: number, bytes: number): number[] {
  const all: number[] = [];
  for (let row = 0; row < count; row++) {
    for (let x = 0; x < wide; x++) {
      for (let byte = 0; byte < bytes; byte++) all.push(start + row * pitch + x * step + byte);
    }
  }
  return all;
}

Deno.test("layOut() keeps every format's planes apart and inside", () => {
  fc.assert(fc.property(fc.constantFrom(...FORMATS), EVEN, EVEN, (format, half, height) => {
    const width = 2 * half, layout = layOut(format, width, height), { planes, size, rowPitch, stride } = layout;
    let before = 0;
    for (const plane of planes) {
      assert(plane.offset >= before && plane.rowBytes <= plane.rowPitch && plane.rowBytes > 0);
      before = endOf(plane);
    }
    assert(before <= size && Number.isInteger(stride));
    assertEquals(planes[0].rowPitch, rowPitch);
    if (format.bytesPerPixel > 0) assertEquals(stride * format.bytesPerPixel, rowPitch);
  }));
});

Deno.test("layOut() gives every sample bytes of its own", () => {
  const DOWN: Readonly<Record<string, number>> = { i422: 1, i444: -1, nv16: 1 };
  const small = fc.integer({ min: 1, max: 10 }).map((half) => 4 * half);
  fc.assert(fc.property(fc.constantFrom(...FORMATS), small, small, (format, width, height) => {
    const layout = layOut(format, width, height), { arrangement, bytesPerPixel } = format;
    const all = samples(layout, width, height, DOWN[arrangement] ?? 2, Math.max(1, bytesPerPixel));
    assertEquals(new Set(all).size, all.length);
    assert(all.every((byte) => byte >= 0 && byte < layout.size));
  }));
});

Deno.test("layOut() lays YV12 out by Android's formulas", () => {
  fc.assert(fc.property(EVEN, EVEN, (width, height) => {
    const { stride, size, ycbcr } = layOut(YV12, width, height), { cr, cb, cstride, chromaStep } = ycbcr!;
    const [y, c] = [stride * height, align(stride / 2, 16)];
    assertEquals([stride % 16, stride >= width && stride < width + 16], [0, true]);
    assertEquals([cr, cb, cstride, chromaStep, size], [y, y + c * height / 2, c, 1, y + c * height]);
  }));
});

Deno.test("layOut() rounds rows of pixels up to 64 bytes, and takes the pitch it is given", () => {
  fc.assert(fc.property(ANY, ANY, (width, height) => {
    for (const [hal, bytes] of [[1, 4], [4, 2], [0x16, 8], [0x38, 1]]) {
      const format = halFormatOf(hal)!, { rowPitch, size } = layOut(format, width, height);
      assertEquals([rowPitch, size], [align(width * bytes, 64), align(width * bytes, 64) * height]);
      const asked = layOut(format, width, height, rowPitch + bytes);
      assertEquals([asked.rowPitch, asked.stride], [rowPitch + bytes, rowPitch / bytes + 1]);
    }
    const { rowPitch, stride } = layOut(halFormatOf(3)!, width, height);
    assertEquals([rowPitch % 64, stride], [0, rowPitch / 3]);
  }));
});

Deno.test("layOut() tells where chroma is in semiplanar formats", () => {
  const at = (hal: number) => layOut(halFormatOf(hal)!, 100, 10).ycbcr;
  assertEquals(layOut(NV12, 100, 10).ycbcr, { y: 0, cb: 1280, cr: 1281, ystride: 128, cstride: 128, chromaStep: 2 });
  assertEquals(at(0x11), { y: 0, cb: 1281, cr: 1280, ystride: 128, cstride: 128, chromaStep: 2 }); // NV21
  assertEquals(at(0x36), { y: 0, cb: 2560, cr: 2562, ystride: 256, cstride: 256, chromaStep: 4 }); // P010
  assertEquals(at(0x23), { y: 0, cb: 1280, cr: 1600, ystride: 128, cstride: 64, chromaStep: 1 }); // I420
  assertEquals(layOut(halFormatOf(0x10)!, 100, 10).size, 2560); // NV16
  assertEquals(layOut(halFormatOf(0x25)!, 100, 10).planes[0].rowBytes, 125); // RAW10
  assertEquals(layOut(halFormatOf(0x21)!, 1000, 1).size, 1000); // BLOB
});

Deno.test("layOut() does not guess what IMPLEMENTATION_DEFINED is", () => {
  assertThrows(() => layOut(halFormatOf(0x22)!, 8, 8), TypeError, "usage decides");
});
