/** A driver that offers blending for a format blends. */
import { gpuTest } from "@pumice/gfx/testing";
import {
  VK_BLEND_OP_MAX,
  VK_FORMAT_A8B8G8R8_UNORM_PACK32,
  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
} from "@pumice/gfx/vk";
import { deepStrictEqual } from "node:assert/strict";
import { OPTIONS, pass, pipeline, read, ready, target } from "./parts.ts";

gpuTest("a draw is blended into A8B8G8R8_UNORM_PACK32", OPTIONS, (context) => {
  const usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, format = VK_FORMAT_A8B8G8R8_UNORM_PACK32;
  const image = target(context, { format, usage, width: 2, height: 2 });
  const blended = {
    blendEnable: true,
    colorBlendOp: VK_BLEND_OP_MAX,
    alphaBlendOp: VK_BLEND_OP_MAX,
    colorWriteMask: 15,
  };
  const drawing = pipeline(context, image, { pColorBlendState: { pAttachments: [blended] } });
  context.submit((commands) => {
    ready(commands, image);
    pass(commands, image, [1, 1, 1, 1], () => {
      commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_GRAPHICS, drawing);
      commands.vkCmdDraw(3, 1, 0, 0);
    });
  });
  deepStrictEqual([...read(context, image, 4).bytes.subarray(0, 4)], [255, 255, 255, 255]);
});
