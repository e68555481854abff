import { assertEquals } from "@std/assert";
import type { VkImage } from "../../../../../loader/types.ts";
import * as vk from "../../../../../loader/vk.ts";
import { lavapipePath } from "../../../../../tools/setup/parts.ts";
import { fullBarrier, turnImage } from "../../../../../wsi/gpu/barriers.ts";
import type { Gpu } from "../../../../../wsi/gpu/open_gpu.ts";
import { needs } from "../../../../support/require.ts";
import { planted } from "../programs/planted_layer.ts";
import { amountsIn } from "./recorded.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()), GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL;
const SIDE = 2, LAYERS = 4, COLOR = vk.VK_IMAGE_ASPECT_COLOR_BIT;

/** Four layers of which the middle two are computed become slices, slices become layers and bytes. */
function record({ bareImage, buffer, submit }: Gpu): void {
  const imageOf = (depth: number, arrayLayers: number): VkImage =>
    bareImage({
      imageType: depth > 1 ? vk.VK_IMAGE_TYPE_3D : vk.VK_IMAGE_TYPE_2D,
      format: vk.VK_FORMAT_R16_SFLOAT,
      extent: { width: SIDE, height: SIDE, depth },
      arrayLayers,
      usage: vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT | vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    });
  const layers = imageOf(1, LAYERS),
    slices = imageOf(LAYERS, 1),
    back = imageOf(1, 2),
    bytes = buffer(2 * SIDE ** 2 * LAYERS);
  const all = { aspectMask: COLOR, layerCount: LAYERS }, one = { aspectMask: COLOR, layerCount: 1 };
  const cleared = (value: number) => ({ float32: [value, 0, 0, 0] as const });
  submit((commands) => {
    for (const image of [layers, slices, back]) turnImage(commands, image, vk.VK_IMAGE_LAYOUT_UNDEFINED, GENERAL);
    commands.vkCmdClearColorImage(layers, GENERAL, cleared(1), [{ ...all, levelCount: 1 }]);
    fullBarrier(commands);
    commands.vkCmdClearColorImage(layers, GENERAL, cleared(1 / 3), [{
      ...one,
      baseArrayLayer: 1,
      layerCount: 2,
      levelCount: 1,
    }]);
    fullBarrier(commands);
    commands.vkCmdCopyImage(layers, GENERAL, slices, GENERAL, [{
      srcSubresource: all,
      dstSubresource: one,
      extent: { width: SIDE, height: SIDE, depth: LAYERS },
    }]);
    fullBarrier(commands);
    // Slices 2 and 3 become layers 0 and 1.
    commands.vkCmdCopyImage(slices, GENERAL, back, GENERAL, [{
      srcSubresource: one,
      srcOffset: { z: 2 },
      dstSubresource: { ...one, layerCount: 2 },
      extent: { width: SIDE, height: SIDE, depth: 2 },
    }]);
    commands.vkCmdCopyImageToBuffer(slices, GENERAL, bytes.buffer, [{
      imageSubresource: one,
      imageExtent: { width: SIDE, height: SIDE, depth: LAYERS },
    }]);
  });
}

Deno.test(
  "computed layers may differ by a step as slices, as layers again and as bytes, and those beside may not",
  LAVAPIPE,
  () => {
    // The three clears before are those of undefined contents.
    const cleared = (nth: number, by: number) =>
      planted({ command: "vkCmdClearColorImage", nth: 3 + nth, change: "word", at: 3, by });
    const texels = SIDE ** 2, images = { "VkImage#1 level 0 color": 2 * texels, "VkImage#2 level 0 color": 2 * texels };
    const copies = (bytes: number) => ({ ...images, "VkImage#3 level 0 color": texels, "VkBuffer#4": bytes });
    const faults = [cleared(1, 1 << 13), cleared(1, 1 << 23), cleared(0, 1 << 13)];
    assertEquals(amountsIn(lavapipePath()!, record, faults), [{}, copies(4 * texels), copies(2 * texels)]);
  },
);
