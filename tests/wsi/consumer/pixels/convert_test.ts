import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  type ConvertOptions,
  convertPixels,
  convertPixels16,
  type PixelSource,
} from "../../../../wsi/consumer/pixels/convert.ts";

const RGBA = 1, RGBX = 2, RGB = 3, RGB_565 = 4, BGRA = 5, FP16 = 0x16, RGBA_1010102 = 0x2b, R = 0x38, DEEP = 0x3b;
const SRGB = 0x08810000, SRGB_LINEAR = 0x08410000, SCRGB_LINEAR = 0x18410000, DISPLAY_P3 = 0x088a0000;
const ADOBE_RGB = 151715840, BT2020_LINEAR = 0x08460000, BT2020_PQ = 163971072, BT2020_HLG = 168165376;

/** One row of pixels, the units given. */
function row(format: number, units: Uint8Array | Uint16Array | Uint32Array, width: number, dataspace = 0): PixelSource {
  const bytes = new Uint8Array(units.buffer, units.byteOffset, units.byteLength);
  return { bytes, width, height: 1, rowPitch: bytes.length, format, dataspace };
}

function converted(source: PixelSource, options?: ConvertOptions): number[] {
  return [...convertPixels(source, options).data];
}

/** Asserts that no level is more than `off` away. */
function assertNear(actual: number[], expected: number[], off = 1): void {
  assertEquals(actual.length, expected.length);
  const far = actual.filter((level, index) => Math.abs(level - expected[index]) > off);
  assert(far.length === 0, `found ${actual}, expected ${expected}`);
}

Deno.test("convertPixels() reads every format of Android's swapchain", () => {
  const cases: [number, Uint8Array | Uint16Array | Uint32Array, number[]][] = [
    [RGBA, new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]), [1, 2, 3, 4, 5, 6, 7, 8]],
    [RGBX, new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]), [1, 2, 3, 255, 5, 6, 7, 255]],
    [BGRA, new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]), [3, 2, 1, 4, 7, 6, 5, 8]],
    [RGB, new Uint8Array([1, 2, 3, 5, 6, 7]), [1, 2, 3, 255, 5, 6, 7, 255]],
    [R, new Uint8Array([9, 250]), [9, 0, 0, 255, 250, 0, 0, 255]],
    // 31, 0, 0 and 16, 32, 16: 255 × 16 / 31 = 131.6, 255 × 32 / 63 = 129.5
    [RGB_565, new Uint16Array([0xf800, 0x8410]), [255, 0, 0, 255, 132, 130, 132, 255]],
    // 512, 1023, 1, alpha 2 of 3; 3, 0, 1023, alpha 0: 255 × 512 / 1023 = 127.6
    [RGBA_1010102, new Uint32Array([0x801ffe00, 0x3ff00003]), [128, 255, 0, 170, 1, 0, 255, 0]],
    // 1, ½, 2, ¼; −1, ∞, NaN, 2⁻²⁴
    [
      FP16,
      new Uint16Array([0x3c00, 0x3800, 0x4000, 0x3400, 0xbc00, 0x7c00, 0x7e00, 1]),
      [255, 128, 255, 64, 0, 255, 0, 0],
    ],
    [DEEP, new Uint16Array([0x8000, 0xffc0, 0x40, 0, 0, 0x8000, 0, 0xffff]), [128, 255, 0, 0, 0, 128, 0, 255]],
  ];
  for (const [format, units, expected] of cases) assertEquals(converted(row(format, units, 2)), expected, `${format}`);
});

Deno.test("convertPixels() writes blue first when asked, from every kind of format", () => {
  const bgra = { order: "bgra" } as const;
  assertEquals(converted(row(RGBA, new Uint8Array([1, 2, 3, 4]), 1), bgra), [3, 2, 1, 4]);
  assertEquals(converted(row(BGRA, new Uint8Array([1, 2, 3, 4]), 1), bgra), [1, 2, 3, 4]);
  assertEquals(converted(row(RGBX, new Uint8Array([1, 2, 3, 4]), 1), bgra), [3, 2, 1, 255]);
  assertEquals(converted(row(RGB_565, new Uint16Array([0xf800]), 1), bgra), [0, 0, 255, 255]);
  assertEquals(converted(row(BGRA, new Uint8Array([0, 0, 255, 255]), 1, DISPLAY_P3), bgra), [0, 0, 255, 255]);
});

Deno.test("convertPixels16() keeps the precision of more than eight bits", () => {
  const ten = convertPixels16(row(RGBA_1010102, new Uint32Array([0x801ffe00]), 1));
  assertEquals([...ten.data], [32800, 65535, 64, 43690]); // 65535 × 512 / 1023 = 32799.5…
  const half = convertPixels16(row(FP16, new Uint16Array([0x3c00, 0x3800, 0x4000, 0x2c00]), 1));
  assertEquals([...half.data], [65535, 32768, 65535, 4096]); // 65535 / 16 = 4095.9
  // Linear ½ is sRGB 0.7353569830524495.
  const linear = convertPixels16(row(FP16, new Uint16Array([0x3800, 0, 0, 0x3c00]), 1, SCRGB_LINEAR));
  assertEquals([...linear.data], [48192, 0, 0, 65535]);
});

Deno.test("convertPixels() takes sRGB, unknown and arbitrary dataspaces as they are", () => {
  for (const dataspace of [0, 1, SRGB, 0x10c40000, 4]) { // 4: a depth map's
    assertEquals(converted(row(RGBA, new Uint8Array([7, 77, 177, 5]), 1, dataspace)), [7, 77, 177, 5]);
  }
});

Deno.test("convertPixels() encodes linear light", () => {
  // 55 / 255 = 0.2157 → 0.5018; 188 / 255 = 0.7373 → 0.8742; 0.0031 × 255 = 0.8: the straight part
  assertEquals(converted(row(RGBA, new Uint8Array([55, 188, 0, 9]), 1, SRGB_LINEAR)), [128, 223, 0, 9]);
  // 0.0009765625 × 12.92 × 255 = 3.2; ½ → 0.73536 × 255 = 187.5…; 2 and more clamp, so does what is below 0
  const half = new Uint16Array([0x1400, 0x3800, 0x4400, 0x3c00, 0xb800, 0x3c00, 0, 0x3800]);
  assertEquals(converted(row(FP16, half, 2, SCRGB_LINEAR)), [3, 188, 255, 255, 0, 255, 0, 128]);
});

Deno.test("convertPixels() brings other gamuts into sRGB's", () => {
  // The values of CSS Color 4 for sRGB's corners in display-p3: 0.9175 0.2003 0.1386, 0.4584 0.9853 0.2983, 0 0 0.9596
  const corners = new Uint8Array([234, 51, 35, 255, 117, 251, 76, 255, 0, 0, 245, 255, 128, 128, 128, 255]);
  const srgb = [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 128, 128, 128, 255];
  assertNear(converted(row(RGBA, corners, 4, DISPLAY_P3)), srgb, 6); // near black a level of input is several of output
  assertEquals(converted(row(BGRA, new Uint8Array([0, 255, 0, 1]), 1, DISPLAY_P3)), [0, 255, 0, 1]); // greener than sRGB
  // BT.2087: linear BT.709 red is 0.6274 0.0691 0.0164 in BT.2020, times 1023
  const red = new Uint32Array([642 | 71 << 10 | 17 << 20 | 3 << 30]);
  assertNear(converted(row(RGBA_1010102, red, 1, BT2020_LINEAR)), [255, 2, 2, 255], 3);
  // sRGB green is 0.5649 1 0.2344 in Adobe RGB
  assertNear(converted(row(RGBA, new Uint8Array([144, 255, 60, 255]), 1, ADOBE_RGB)), [0, 255, 0, 255], 8);
});

/** One grey pixel of ten bits. */
function grey(code: number, dataspace: number, peak?: number): number {
  const word = code | code << 10 | code << 20 | 3 << 30;
  const [red, green, blue, alpha] = converted({ ...row(RGBA_1010102, new Uint32Array([word]), 1, dataspace), peak });
  assertEquals([Math.abs(green - red) <= 1, Math.abs(blue - red) <= 1, alpha], [true, true, 255]);
  return red;
}

Deno.test("convertPixels() maps the tones of PQ pictures", () => {
  // ST 2084: 1 cd/m² is code 153, 100 are 520, 203 are 594, 1000 are 769.
  assertEquals(grey(0, BT2020_PQ), 0);
  assertNear([grey(153, BT2020_PQ)], [14]); // 1 / 203 = 0.00493 → 0.0599 × 255 = 15.3 − what the code is short of
  assertNear([grey(520, BT2020_PQ)], [186]); // 100 / 203 = 0.4926 → 0.7305
  assertNear([grey(594, BT2020_PQ)], [240]); // 1: over the knee, 0.75 + 0.25 × 0.5018 = 0.8754 → 0.9431
  assertNear([grey(769, BT2020_PQ)], [255]);
  assertEquals(grey(1023, BT2020_PQ), 255);
  assertEquals(grey(769, BT2020_PQ, 10000) < 254, true); // brighter things are to come
  assertNear([grey(594, BT2020_PQ, 203)], [255]); // white is the brightest
});

Deno.test("convertPixels() maps the tones of HLG pictures", () => {
  // ½ is 1/12 of the scene's light, by 1.2 and 1000 / 203: 0.2497 → 0.5368
  const half = new Uint16Array([0x3800, 0x3800, 0x3800, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00]);
  assertNear(converted(row(FP16, half, 2, BT2020_HLG)), [137, 137, 137, 255, 255, 255, 255, 255]);
  assertEquals(grey(0, BT2020_HLG), 0);
  assertNear([grey(767, BT2020_HLG)], [240]); // 75 % is white, 203 cd/m²
});

/** a b c over d e f, with three pixels of padding. */
function letters(): PixelSource {
  const pixels = (text: string) => [...text].flatMap((letter) => [letter.charCodeAt(0), 0, 0, 255]);
  const bytes = new Uint8Array([..."abc", "xyz", ..."def", "xyz"].flatMap(pixels));
  return { bytes, width: 3, height: 2, rowPitch: 24, format: RGBA };
}

function text(source: PixelSource, options?: ConvertOptions): string {
  const { width, height, data } = convertPixels(source, options);
  const letter = (x: number, y: number) => String.fromCharCode(data[4 * (y * width + x)]);
  return Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => letter(x, y)).join(""))
    .join("/");
}

Deno.test("convertPixels() turns and flips: first the flips, then a quarter clockwise", () => {
  const shown = Array.from({ length: 8 }, (_, transform) => text({ ...letters(), transform }));
  assertEquals(shown, ["abc/def", "cba/fed", "def/abc", "fed/cba", "da/eb/fc", "fc/eb/da", "ad/be/cf", "cf/be/ad"]);
});

Deno.test("convertPixels() crops before it turns, and scales after", () => {
  const crop = { left: 1, top: 0, right: 3, bottom: 2 };
  assertEquals(text({ ...letters(), crop }), "bc/ef");
  assertEquals(text({ ...letters(), crop, transform: 4 }), "eb/fc");
  assertEquals(text({ ...letters(), crop: { left: 2, top: 1, right: 99, bottom: 99 } }), "f");
  for (const empty of [{ left: 2, top: 1, right: 2, bottom: 2 }, { left: 5, top: 0, right: 9, bottom: 2 }]) {
    assertEquals(text({ ...letters(), crop: empty }), "abc/def");
  }
  assertEquals(text(letters(), { size: { width: 6, height: 3 } }), "aabbcc/ddeeff/ddeeff");
  assertEquals(text({ ...letters(), transform: 1 }, { size: { width: 2, height: 1 } }), "fd"); // the nearest of fed
});

Deno.test("convertPixels() gives the same through all its ways", () => {
  const size = fc.integer({ min: 1, max: 9 });
  fc.assert(fc.property(size, size, size, fc.integer({ min: 0, max: 7 }), (width, height, padding, transform) => {
    const stride = width + padding, words = Uint32Array.from({ length: stride * height }, (_, at) => at * 0x01020307);
    const bytes = new Uint8Array(words.buffer), half = new Uint16Array(bytes.length);
    const toHalf = (level: number) => new Uint16Array(new Float16Array([level / 255]).buffer)[0];
    bytes.forEach((level, at) => half[at] = toHalf(level));
    const about = { width, height, transform }, more = { order: "bgra" } as const;
    const words8 = { ...about, bytes, rowPitch: 4 * stride, format: RGBA };
    const half8 = { ...about, bytes: new Uint8Array(half.buffer), rowPitch: 8 * stride, format: FP16 };
    assertEquals(converted(half8), converted(words8));
    assertEquals(converted(half8, more), converted(words8, more));
  }));
});

Deno.test("convertPixels() writes where it is told to, and reads memory that begins anywhere", () => {
  const { bytes, ...source } = letters(), moved = new Uint8Array(bytes.length + 1);
  moved.set(bytes, 1);
  const into = new Uint8Array(4 * 6);
  const { data } = convertPixels({ ...source, bytes: moved.subarray(1) }, { into });
  assertEquals([data === into, String.fromCharCode(into[20])], [true, "f"]);
});

Deno.test("convertPixels() refuses formats without colors and memory that is too small", () => {
  const source = letters();
  assertThrows(
    () => convertPixels({ ...source, format: 0x23 }),
    TypeError,
    "Cannot read pixels of HAL_PIXEL_FORMAT 0x23",
  );
  assertThrows(() => convertPixels16({ ...source, format: 0x21 }), TypeError, "use a format with red, green and blue");
  assertThrows(() => convertPixels({ ...source, height: 3 }), RangeError, "out of 48 bytes: 60 are needed");
  assertThrows(() => convertPixels({ ...source, rowPitch: 8 }), RangeError, "Cannot read 3×2 pixels with 8 bytes");
});
