/** Five bits become the float that is the number divided by 31. */
import { fullBarrier, gpuTest } from "@pumice/gfx/testing";
import {
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_FILTER_NEAREST,
  VK_FORMAT_A1R5G5B5_UNORM_PACK16,
  VK_FORMAT_R32G32_SFLOAT,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_USAGE_SAMPLED_BIT,
} from "@pumice/gfx/vk";
import { ok } from "node:assert/strict";
import { OPTIONS, read, ready, target } from "./parts.ts";

gpuTest("five bits become a float without a detour", OPTIONS, (context) => {
  const usage = VK_IMAGE_USAGE_SAMPLED_BIT, size = { width: 1, height: 1, usage };
  const from = target(context, { ...size, format: VK_FORMAT_A1R5G5B5_UNORM_PACK16 });
  const to = target(context, { ...size, width: 2, format: VK_FORMAT_R32G32_SFLOAT });
  const layers = { aspectMask: 1, layerCount: 1 }, one = [{}, { x: 1, y: 1, z: 1 }], two = [{}, { x: 2, y: 1, z: 1 }];
  const green = context.buffer(Uint32Array.of(1 << 5), VK_BUFFER_USAGE_TRANSFER_SRC_BIT),
    layout = VK_IMAGE_LAYOUT_GENERAL;
  context.submit((commands) => {
    for (const each of [from, to]) ready(commands, each);
    const extent = { width: 1, height: 1, depth: 1 };
    commands.vkCmdCopyBufferToImage(green.buffer, from.image, layout, [{
      imageSubresource: layers,
      imageExtent: extent,
    }]);
    fullBarrier(commands);
    const region = { srcSubresource: layers, srcOffsets: one, dstSubresource: layers, dstOffsets: two };
    commands.vkCmdBlitImage(from.image, layout, to.image, layout, [region], VK_FILTER_NEAREST);
  });
  const [, value] = read(context, to, 8).floats;
  ok(Math.abs(value - 1 / 31) < 1e-5, `1 of 31 became ${value}`);
});
