import { assertEquals } from "@std/assert";
import { byteDifference, texelDifference } from "../../../compare/contents/difference.ts";
import { aspectsOf, formatOf } from "../../../compare/contents/format.ts";
import { numberAt } from "../../../compare/contents/number.ts";
import * as vk from "../../../loader/vk.ts";

/** Bytes of 32-bit floats, or of 16-bit words. */
const floats = (...values: number[]) => new Uint8Array(new Float32Array(values).buffer);
const words = (...values: number[]) => new Uint8Array(new Uint16Array(values).buffer);

/** The components of the first texel of a format. */
function numbers(format: number, bytes: Uint8Array, aspect?: "depth" | "stencil"): Record<string, number> {
  return Object.fromEntries(formatOf(format, aspect).components.map((each) => [each.name, numberAt(bytes, 0, each)]));
}

Deno.test("numberAt() reads components of packed formats from the most significant bit on", () => {
  assertEquals(numbers(vk.VK_FORMAT_R5G6B5_UNORM_PACK16, words(0b10001_000011_00111)), { R: 17, G: 3, B: 7 });
  const [low, high] = [0b01_0000000010_0000000011_0000000100 & 0xffff, 0b01_0000000010_0000000011_0000000100 >>> 16];
  assertEquals(numbers(vk.VK_FORMAT_A2B10G10R10_UNORM_PACK32, words(low, high)), { A: 1, B: 2, G: 3, R: 4 });
  assertEquals(numbers(vk.VK_FORMAT_B8G8R8A8_UNORM, new Uint8Array([1, 2, 3, 4])), { B: 1, G: 2, R: 3, A: 4 });
  assertEquals(numbers(vk.VK_FORMAT_R10X6_UNORM_PACK16, words(5 << 6)), { R: 5 });
});

Deno.test("numberAt() reads floats of 10, 11, 16, 32 and 64 bits, and signed numbers", () => {
  assertEquals(numbers(vk.VK_FORMAT_R16G16_SFLOAT, words(0x3c00, 0xc000)), { R: 1, G: -2 });
  assertEquals(numbers(vk.VK_FORMAT_R32_SFLOAT, floats(-0.375)), { R: -0.375 });
  assertEquals(numbers(vk.VK_FORMAT_R64_SFLOAT, new Uint8Array(new Float64Array([1.1]).buffer)), { R: 1.1 });
  const one = 15 << 6 | 15 << 17, blue = 15 << 27;
  assertEquals(numbers(vk.VK_FORMAT_B10G11R11_UFLOAT_PACK32, new Uint8Array(new Uint32Array([one | blue]).buffer)), {
    B: 1,
    G: 1,
    R: 1,
  });
  assertEquals(numbers(vk.VK_FORMAT_R8G8_SNORM, new Uint8Array([0x80, 0xff])), { R: -128, G: -1 });
  assertEquals(numbers(vk.VK_FORMAT_R16_SFLOAT, words(0x7c00)), { R: Infinity });
  assertEquals(numbers(vk.VK_FORMAT_R16_SFLOAT, words(0x0001)), { R: 2 ** -24 });
});

Deno.test("formats with depth and stencil are copied in parts, whose texels have their own size", () => {
  assertEquals(aspectsOf(vk.VK_FORMAT_D24_UNORM_S8_UINT), ["depth", "stencil"]);
  assertEquals(aspectsOf(vk.VK_FORMAT_D16_UNORM), ["depth"]);
  assertEquals(aspectsOf(vk.VK_FORMAT_R8_UINT), ["color"]);
  assertEquals(aspectsOf(vk.VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM), []);
  const sizes = [vk.VK_FORMAT_D16_UNORM_S8_UINT, vk.VK_FORMAT_D24_UNORM_S8_UINT, vk.VK_FORMAT_D32_SFLOAT_S8_UINT]
    .map((format) => [formatOf(format, "depth").blockSize, formatOf(format, "stencil").blockSize]);
  assertEquals(sizes, [[2, 1], [4, 1], [4, 1]]);
});

Deno.test("texelDifference() lets normalised numbers differ by a step, and whole numbers not at all", () => {
  const one = new Uint8Array([10, 20, 30, 255, 1, 2, 3, 4]), other = new Uint8Array([11, 20, 30, 255, 1, 2, 9, 4]);
  assertEquals(texelDifference(formatOf(vk.VK_FORMAT_R8G8B8A8_UNORM), one, other), {
    texels: 1,
    most: 6,
    first: 1,
    values: ["R 1 G 2 B 3 A 4", "R 1 G 2 B 9 A 4"],
  });
  assertEquals(texelDifference(formatOf(vk.VK_FORMAT_R8G8B8A8_UINT), one, other)?.texels, 2);
  assertEquals(texelDifference(formatOf(vk.VK_FORMAT_R8G8B8A8_UNORM), one, other, 6), undefined);
  assertEquals(texelDifference(formatOf(vk.VK_FORMAT_R8G8B8A8_UNORM), one, other, 0)?.texels, 2);
});

Deno.test("texelDifference() counts floats by representable numbers, with one zero and one NaN", () => {
  const format = formatOf(vk.VK_FORMAT_R32_SFLOAT);
  assertEquals(texelDifference(format, floats(0, NaN, 1), floats(-0, NaN, 1 + 2 ** -23)), undefined);
  assertEquals(texelDifference(format, floats(1), floats(1 + 100 * 2 ** -23))?.most, 100);
  assertEquals(texelDifference(format, floats(NaN), floats(1))?.most, Infinity);
  const depth = formatOf(vk.VK_FORMAT_D32_SFLOAT, "depth");
  assertEquals(texelDifference(depth, floats(0.5), floats(0.5 + 2 ** -16)), undefined);
  assertEquals(texelDifference(depth, floats(0.5), floats(0.5 + 2 ** -14))?.most, 2 ** 10);
});

Deno.test("texelDifference() compares blocks of compressed formats, and the exponent that components share", () => {
  const one = new Uint8Array(16), other = one.with(9, 1);
  const found = texelDifference(formatOf(vk.VK_FORMAT_BC1_RGB_UNORM_BLOCK), one, other);
  assertEquals([found?.texels, found?.first], [1, 1]);
  const shared = formatOf(vk.VK_FORMAT_E5B9G9R9_UFLOAT_PACK32);
  assertEquals(texelDifference(shared, new Uint8Array(4), new Uint8Array([0, 0, 0, 8]))?.values, [
    "E 0 B 0 G 0 R 0",
    "E 1 B 0 G 0 R 0",
  ]);
});

Deno.test("byteDifference() finds the first byte, and bytes that are missing", () => {
  assertEquals(byteDifference(new Uint8Array([1, 2]), new Uint8Array([1, 2])), undefined);
  assertEquals(byteDifference(new Uint8Array([1, 2, 3]), new Uint8Array([1, 9, 8])), { bytes: 2, first: 1 });
  assertEquals(byteDifference(new Uint8Array([1, 2, 3]), new Uint8Array([1])), { bytes: 2, first: 1 });
});
