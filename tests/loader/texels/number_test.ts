import { assertEquals } from "@std/assert";
import { aspectsOf, formatOf } from "../../../loader/texels/format.ts";
import { numberAt } from "../../../loader/texels/number.ts";
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
