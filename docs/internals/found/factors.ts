/** Blend factors do nothing where blending is not enabled. */
import { gpuTest } from "@pumice/gfx/testing";
import {
  VK_BLEND_FACTOR_ONE,
  VK_BLEND_FACTOR_ZERO,
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
} from "@pumice/gfx/vk";
import { deepStrictEqual } from "node:assert/strict";
import { OPTIONS, pass, pipeline, read, ready, target } from "./parts.ts";

gpuTest("a draw without blending paints, whatever its blend factors", OPTIONS, (context) => {
  const format = VK_FORMAT_R8G8B8A8_UNORM, usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  const image = target(context, { format, usage, width: 2, height: 2 });
  const attachment = {
    blendEnable: false,
    srcColorBlendFactor: VK_BLEND_FACTOR_ZERO,
    srcAlphaBlendFactor: VK_BLEND_FACTOR_ZERO,
    dstColorBlendFactor: VK_BLEND_FACTOR_ONE,
    dstAlphaBlendFactor: VK_BLEND_FACTOR_ONE,
    colorWriteMask: 15,
  };
  const drawing = pipeline(context, image, { pColorBlendState: { pAttachments: [attachment] } });
  context.submit((commands) => {
    ready(commands, image);
    pass(commands, image, [0, 0, 0, 0], () => {
      commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_GRAPHICS, drawing);
      commands.vkCmdDraw(3, 1, 0, 0);
    });
  });
  deepStrictEqual([...read(context, image, 4).bytes.subarray(0, 4)], [255, 153, 51, 102]);
});
