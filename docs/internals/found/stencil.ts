/** A stencil test that is dynamic has the operations of its pipeline, whether or not the pipeline enables the test. */
import { gpuTest } from "@pumice/gfx/testing";
import {
  VK_COMPARE_OP_ALWAYS,
  VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
  VK_FORMAT_S8_UINT,
  VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
  VK_STENCIL_OP_REPLACE,
} from "@pumice/gfx/vk";
import { deepStrictEqual } from "node:assert/strict";
import { OPTIONS, pass, pipeline, read, ready, target } from "./parts.ts";

gpuTest("a stencil test that a command enables has the pipeline's operations", OPTIONS, (context) => {
  const format = VK_FORMAT_S8_UINT, usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, all = VK_STENCIL_OP_REPLACE;
  const image = target(context, { format, usage, width: 2, height: 2 });
  const face = {
    failOp: all,
    passOp: all,
    depthFailOp: all,
    compareOp: VK_COMPARE_OP_ALWAYS,
    compareMask: 255,
    writeMask: 255,
    reference: 7,
  };
  const drawing = pipeline(context, image, {
    pDepthStencilState: { stencilTestEnable: false, front: face, back: face },
    pDynamicState: { pDynamicStates: [VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE] },
  });
  context.submit((commands) => {
    ready(commands, image);
    pass(commands, image, [], () => {
      commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_GRAPHICS, drawing);
      commands.vkCmdSetStencilTestEnable(true);
      commands.vkCmdDraw(3, 1, 0, 0);
    });
  });
  deepStrictEqual([...read(context, image, 1).bytes.subarray(0, 4)], [7, 7, 7, 7]);
});
