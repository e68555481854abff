/** A resolve at the end of a pass writes the layer that the view of the resolve attachment names. */
import { fullBarrier, gpuTest } from "@pumice/gfx/testing";
import {
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  VK_RESOLVE_MODE_AVERAGE_BIT,
  VK_SAMPLE_COUNT_4_BIT,
} from "@pumice/gfx/vk";
import { deepStrictEqual } from "node:assert/strict";
import { OPTIONS, pass, read, ready, target } from "./parts.ts";

gpuTest("a resolve at the end of a pass goes to the layer of the view", OPTIONS, (context) => {
  const size = { width: 2, height: 2, format: VK_FORMAT_R8G8B8A8_UNORM, usage: VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT };
  const image = target(context, { ...size, samples: VK_SAMPLE_COUNT_4_BIT });
  const resolved = target(context, { ...size, layers: 2, layer: 1 });
  context.submit((commands) => {
    ready(commands, image);
    ready(commands, resolved);
    commands.vkCmdClearColorImage(resolved.image, VK_IMAGE_LAYOUT_GENERAL, { float32: [0, 0, 0, 0] }, [
      { aspectMask: 1, levelCount: 1, layerCount: 2 },
    ]);
    fullBarrier(commands);
    pass(commands, image, [1, 0, 0, 1], () => {}, {
      resolveMode: VK_RESOLVE_MODE_AVERAGE_BIT,
      resolveImageView: resolved.view,
      resolveImageLayout: VK_IMAGE_LAYOUT_GENERAL,
    });
  });
  const layers = [0, 1].map((layer) => [...read(context, resolved, 4, layer).bytes.subarray(0, 4)]);
  deepStrictEqual(layers, [[0, 0, 0, 0], [255, 0, 0, 255]]);
});
