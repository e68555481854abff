import { assertEquals } from "@std/assert";
import { isExactClear } from "../../../../../workbench/recordings/compare/tolerances/transfers.ts";
import * as vk from "../../../../../loader/vk.ts";

/** Whether a colour of one number all over is stored without rounding. */
function isExact(format: number, value: number): boolean {
  return isExactClear(format, "color", { color: { float32: [value, value, value, value] } });
}

Deno.test("isExactClear() knows which numbers a format has", () => {
  const third = 1 / 3,
    rows: [number, number[], number[]][] = [
      [vk.VK_FORMAT_R8G8B8A8_UNORM, [0, 1], [0.5, third, 2, -1]],
      [vk.VK_FORMAT_R8G8_SNORM, [0, 1, -1], [0.5, third, 2]],
      [vk.VK_FORMAT_R8G8B8A8_SRGB, [0, 1], [0.5, third]],
      [vk.VK_FORMAT_R16G16_SFLOAT, [0, 1, -0.75, 65504, 2 ** -24], [third, 65536, 2 ** -25, NaN]],
      [vk.VK_FORMAT_B10G11R11_UFLOAT_PACK32, [0, 1, 1.5], [third, -1]],
      [vk.VK_FORMAT_R32_SFLOAT, [0, third, 1e30], [Infinity]],
      [vk.VK_FORMAT_R8G8B8A8_UINT, [0, third], []],
    ];
  for (const [format, exact, rounded] of rows) {
    assertEquals([exact, rounded].map((values) => values.map((each) => isExact(format, each))), [
      exact.map(() => true),
      rounded.map(() => false),
    ]);
  }
});

Deno.test("isExactClear() takes depth from either member of a clear value, and stencil is always exact", () => {
  const isDepth = (value: object, format: number) => isExactClear(format, "depth", value);
  assertEquals(isDepth({ depthStencil: { depth: 0.5, stencil: 3 } }, vk.VK_FORMAT_D32_SFLOAT), true);
  assertEquals(isDepth({ depthStencil: { depth: 0.5, stencil: 3 } }, vk.VK_FORMAT_D16_UNORM), false);
  assertEquals(isDepth({ color: { uint32: [0x3f80_0000, 3, 0, 0] } }, vk.VK_FORMAT_D24_UNORM_S8_UINT), true);
  assertEquals(isExactClear(vk.VK_FORMAT_D24_UNORM_S8_UINT, "stencil", undefined), true);
});
