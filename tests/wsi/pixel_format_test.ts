import { assertEquals } from "@std/assert";
import * as vk from "../../loader/vk.ts";
import { pixelFormatOf, pixelFormatOfHal } from "../../wsi/mod.ts";

Deno.test("pixelFormatOf() maps as Android's swapchain does, and BGRA", () => {
  const cases: [number, string, number][] = [
    [vk.VK_FORMAT_R8G8B8A8_UNORM, "RGBA_8888", 4],
    [vk.VK_FORMAT_R8G8B8A8_SRGB, "RGBA_8888", 4],
    [vk.VK_FORMAT_R8G8B8_UNORM, "RGB_888", 3],
    [vk.VK_FORMAT_R8G8B8_SRGB, "RGB_888", 3],
    [vk.VK_FORMAT_R5G6B5_UNORM_PACK16, "RGB_565", 2],
    [vk.VK_FORMAT_R16G16B16A16_SFLOAT, "RGBA_FP16", 8],
    [vk.VK_FORMAT_A2B10G10R10_UNORM_PACK32, "RGBA_1010102", 4],
    [vk.VK_FORMAT_R8_UNORM, "R_8", 1],
    [vk.VK_FORMAT_B8G8R8A8_UNORM, "BGRA_8888", 4],
    [vk.VK_FORMAT_B8G8R8A8_SRGB, "BGRA_8888", 4],
  ];
  for (const [format, name, bytes] of cases) {
    const found = pixelFormatOf(format);
    assertEquals([found?.name, found?.bytesPerPixel], [`HAL_PIXEL_FORMAT_${name}`, bytes], String(format));
  }
});

Deno.test("pixelFormatOf() knows no other format", () => {
  const others = [vk.VK_FORMAT_UNDEFINED, vk.VK_FORMAT_B8G8R8A8_SNORM, vk.VK_FORMAT_D32_SFLOAT, -1, NaN];
  for (const format of others) assertEquals(pixelFormatOf(format), undefined);
});

Deno.test("pixelFormatOfHal() finds the same entries by their HAL number", () => {
  for (const hal of [1, 3, 4, 0x16, 0x2b, 0x38, 5]) {
    const found = pixelFormatOfHal(hal)!;
    assertEquals([found.hal, pixelFormatOf(found.vk)], [hal, found]);
  }
  assertEquals(pixelFormatOfHal(2), undefined); // HAL_PIXEL_FORMAT_RGBX_8888
});
