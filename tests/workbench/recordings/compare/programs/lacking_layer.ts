/**
 * A layer below which no format can be used for an image.
 *
 * @module
 */
import { defineLayer } from "../../../../../loader/mod.ts";
import { VK_ERROR_FORMAT_NOT_SUPPORTED } from "../../../../../loader/vk.ts";

export default defineLayer({
  name: "VK_LAYER_TEST_lacking",
  commands: {
    vkGetPhysicalDeviceImageFormatProperties: () => VK_ERROR_FORMAT_NOT_SUPPORTED,
  },
});
