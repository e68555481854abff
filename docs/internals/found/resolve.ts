/** A resolve into an image that can be a cube writes every texel of its region. */
import { fullBarrier, gpuTest } from "@pumice/gfx/testing";
import {
  VK_FORMAT_B8G8R8A8_UNORM,
  VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  VK_SAMPLE_COUNT_4_BIT,
} from "@pumice/gfx/vk";
import { deepStrictEqual } from "node:assert/strict";
import { OPTIONS, read, ready, target } from "./parts.ts";

gpuTest("a resolve into a cube writes every texel", OPTIONS, (context) => {
  const usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, extent = { width: 5, height: 5, depth: 1 };
  const size = { width: 5, height: 5, format: VK_FORMAT_B8G8R8A8_UNORM, usage };
  const image = target(context, { ...size, samples: VK_SAMPLE_COUNT_4_BIT }),
    resolved = target(context, { ...size, layers: 6, flags: VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT });
  const layout = VK_IMAGE_LAYOUT_GENERAL, range = { aspectMask: 1, levelCount: 1, layerCount: 1 };
  const layers = { aspectMask: 1, layerCount: 1 };
  context.submit((commands) => {
    for (const each of [image, resolved]) ready(commands, each);
    commands.vkCmdClearColorImage(resolved.image, layout, { float32: [0, 0, 0, 0] }, [range]);
    commands.vkCmdClearColorImage(image.image, layout, { float32: [1, 0, 0, 1] }, [range]);
    fullBarrier(commands);
    const region = { srcSubresource: layers, dstSubresource: layers, extent };
    commands.vkCmdResolveImage(image.image, layout, resolved.image, layout, [region]);
  });
  const red = read(context, resolved, 4).bytes.filter((_, index) => index % 4 === 2);
  deepStrictEqual([...red], Array(25).fill(255));
});
