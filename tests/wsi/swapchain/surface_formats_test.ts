import { assertEquals } from "@std/assert";
import * as vk from "../../../loader/vk.ts";
import { dataspaceOf } from "../../../wsi/swapchain/surface_formats.ts";

/** Values of the NDK's `android/data_space.h`. */
const DATASPACES = [
  [vk.VK_COLOR_SPACE_SRGB_NONLINEAR_KHR, 142671872], // ADATASPACE_SRGB
  [vk.VK_COLOR_SPACE_BT709_LINEAR_EXT, 138477568], // ADATASPACE_SRGB_LINEAR
  [vk.VK_COLOR_SPACE_DISPLAY_P3_NONLINEAR_EXT, 143261696], // ADATASPACE_DISPLAY_P3
  [vk.VK_COLOR_SPACE_EXTENDED_SRGB_LINEAR_EXT, 406913024], // ADATASPACE_SCRGB_LINEAR
  [vk.VK_COLOR_SPACE_EXTENDED_SRGB_NONLINEAR_EXT, 411107328], // ADATASPACE_SCRGB
  [vk.VK_COLOR_SPACE_DCI_P3_NONLINEAR_EXT, 155844608], // ADATASPACE_DCI_P3
  [vk.VK_COLOR_SPACE_HDR10_ST2084_EXT, 163971072], // ADATASPACE_BT2020_PQ
  [vk.VK_COLOR_SPACE_HDR10_HLG_EXT, 168165376], // ADATASPACE_BT2020_HLG
  [vk.VK_COLOR_SPACE_ADOBERGB_NONLINEAR_EXT, 151715840], // ADATASPACE_ADOBE_RGB
] as const;

Deno.test("dataspaceOf() has the NDK's dataspace for each color space", () => {
  for (const [colorSpace, dataspace] of DATASPACES) {
    assertEquals(dataspaceOf(colorSpace, vk.VK_FORMAT_R8G8B8A8_UNORM), dataspace, `${colorSpace}`);
  }
});
