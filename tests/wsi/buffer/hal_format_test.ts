import { assert, assertEquals } from "@std/assert";
import * as vk from "../../../loader/vk.ts";
import {
  fourcc,
  HAL_FORMATS,
  halFormatOf,
  halFormatsOfDrm,
  halFormatsOfVk,
  NV12,
  pixelFormatOf,
  pixelFormatOfHal,
} from "../../../wsi/buffer/hal_format.ts";

Deno.test("halFormatOf() finds every format by its number, and no other", () => {
  for (const format of HAL_FORMATS) assertEquals(halFormatOf(format.hal), format);
  assertEquals(new Set(HAL_FORMATS.map(({ hal }) => hal)).size, HAL_FORMATS.length);
  for (const hal of [0, 6, -1, NaN]) assertEquals(halFormatOf(hal), undefined);
});

Deno.test("HAL_FORMATS has the VkFormats of Vulkan's headers", () => {
  const cases: [number, number, string][] = [
    [1, vk.VK_FORMAT_R8G8B8A8_UNORM, "AB24"],
    [2, vk.VK_FORMAT_R8G8B8A8_UNORM, "XB24"],
    [3, vk.VK_FORMAT_R8G8B8_UNORM, "BG24"],
    [4, vk.VK_FORMAT_R5G6B5_UNORM_PACK16, "RG16"],
    [5, vk.VK_FORMAT_B8G8R8A8_UNORM, "AR24"],
    [0x10, vk.VK_FORMAT_G8_B8R8_2PLANE_422_UNORM, "NV16"],
    [0x11, vk.VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, "NV21"],
    [0x14, vk.VK_FORMAT_G8B8G8R8_422_UNORM, "YUYV"],
    [0x16, vk.VK_FORMAT_R16G16B16A16_SFLOAT, "AB4H"],
    [0x23, vk.VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, "YU12"],
    [0x27, vk.VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM, "YU16"],
    [0x28, vk.VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM, "YU24"],
    [0x2b, vk.VK_FORMAT_A2B10G10R10_UNORM_PACK32, "AB30"],
    [0x30, vk.VK_FORMAT_D16_UNORM, ""],
    [0x31, vk.VK_FORMAT_X8_D24_UNORM_PACK32, ""],
    [0x32, vk.VK_FORMAT_D24_UNORM_S8_UINT, ""],
    [0x33, vk.VK_FORMAT_D32_SFLOAT, ""],
    [0x34, vk.VK_FORMAT_D32_SFLOAT_S8_UINT, ""],
    [0x35, vk.VK_FORMAT_S8_UINT, ""],
    [0x36, vk.VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, "P010"],
    [0x38, vk.VK_FORMAT_R8_UNORM, "R8  "],
    [0x39, vk.VK_FORMAT_R16_UINT, "R16 "],
    [0x3a, vk.VK_FORMAT_R16G16_UINT, "GR32"],
    [0x3b, vk.VK_FORMAT_R10X6G10X6B10X6A10X6_UNORM_4PACK16, "AB10"],
    [0x32315659, vk.VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, "YV12"],
    [0x20203859, vk.VK_FORMAT_R8_UNORM, "R8  "],
    [0x20363159, vk.VK_FORMAT_R16_UNORM, "R16 "],
  ];
  for (const [hal, format, letters] of cases) {
    const found = halFormatOf(hal)!;
    assertEquals([found.vk, found.drm], [format, fourcc(letters)], found.name);
    assert(halFormatsOfVk(format).includes(found));
    assertEquals(halFormatsOfDrm(found.drm).includes(found), letters !== "");
  }
});

Deno.test("halFormatsOfVk() finds sRGB twins, the most usual first", () => {
  const names = (format: number) => halFormatsOfVk(format).map(({ name }) => name.slice(17));
  assertEquals(names(vk.VK_FORMAT_R8G8B8A8_SRGB), ["RGBA_8888", "RGBX_8888"]);
  assertEquals(names(vk.VK_FORMAT_B8G8R8A8_SRGB), ["BGRA_8888"]);
  assertEquals(halFormatsOfVk(vk.VK_FORMAT_G8_B8R8_2PLANE_420_UNORM).includes(NV12), true);
  assertEquals([names(0), names(-1)], [[], []]);
});

Deno.test("halFormatsOfDrm() reads what fourcc() packs", () => {
  assertEquals(fourcc("NV12"), 0x3231564e);
  assertEquals(halFormatsOfDrm(fourcc("NV12")), [NV12]);
  assertEquals(halFormatsOfDrm(fourcc("XB24")), [halFormatOf(2)]);
  assertEquals(halFormatsOfDrm(0), []);
});

Deno.test("pixelFormatOf() maps to entries of HAL_FORMATS", () => {
  assertEquals(pixelFormatOf(vk.VK_FORMAT_R8G8B8_SRGB), halFormatOf(3));
});

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
