import { assertEquals } from "@std/assert";
import {
  byteDifference,
  texelDifference as differenceBy,
} from "../../../../../workbench/recordings/compare/contents/difference.ts";
import { stepRule } from "../../../../../workbench/recordings/compare/contents/tolerance.ts";
import { type Format, formatOf } from "../../../../../loader/texels/format.ts";
import * as vk from "../../../../../loader/vk.ts";

/** Bytes of 32-bit floats. */
const floats = (...values: number[]) => new Uint8Array(new Float32Array(values).buffer);

/** The difference between texels that were computed. */
function texelDifference(format: Format, one: Uint8Array, other: Uint8Array, steps?: number) {
  return differenceBy(format, one, other, () => stepRule(format, steps));
}

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

Deno.test("texelDifference() lets more exact numbers differ by as many steps as their bits allow, and by no more", () => {
  const rows = [
    [vk.VK_FORMAT_R16_UNORM, 64],
    [vk.VK_FORMAT_A2B10G10R10_UNORM_PACK32, 1],
    [vk.VK_FORMAT_D16_UNORM, 2],
    [vk.VK_FORMAT_R16_SFLOAT, 4],
    [vk.VK_FORMAT_R32_SFLOAT, 64],
    [vk.VK_FORMAT_R16_UINT, 0],
  ] as const;
  for (const [vkFormat, most] of rows) {
    const format = formatOf(vkFormat),
      texel = (value: number) => {
        const bytes = new Uint8Array(format.blockSize);
        new DataView(bytes.buffer).setUint16(0, value, true);
        return bytes;
      };
    assertEquals(texelDifference(format, texel(100), texel(100 + most)), undefined, `${vkFormat}`);
    assertEquals(texelDifference(format, texel(100), texel(101 + most))?.texels, 1, `${vkFormat}`);
  }
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
