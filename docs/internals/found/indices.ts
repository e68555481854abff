/** An indexed indirect draw reads the index buffer from the offset on at which the buffer is bound. */
import { gpuTest } from "@pumice/gfx/testing";
import {
  VK_BUFFER_USAGE_INDEX_BUFFER_BIT,
  VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  VK_INDEX_TYPE_UINT32,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
} from "@pumice/gfx/vk";
import { deepStrictEqual } from "node:assert/strict";
import { OPTIONS, pass, pipeline, read, ready, target } from "./parts.ts";

gpuTest("an indexed indirect draw keeps the offset of its index buffer", OPTIONS, (context) => {
  const format = VK_FORMAT_R8G8B8A8_UNORM, usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  const image = target(context, { format, usage, width: 2, height: 2 }), drawing = pipeline(context, image);
  // before the offset are three times vertex 0, which cover nothing
  const indices = context.buffer(Uint32Array.of(0, 0, 0, 0, 1, 2), VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  const count = 3, instances = 1, parameters = Uint32Array.of(count, instances, 0, 0, 0);
  const indirect = context.buffer(parameters, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  context.submit((commands) => {
    ready(commands, image);
    pass(commands, image, [0, 0, 0, 0], () => {
      commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_GRAPHICS, drawing);
      commands.vkCmdBindIndexBuffer(indices.buffer, 12n, VK_INDEX_TYPE_UINT32);
      commands.vkCmdDrawIndexedIndirect(indirect.buffer, 0n, 1, 20);
    });
  });
  deepStrictEqual([...read(context, image, 4).bytes.subarray(0, 4)], [255, 153, 51, 102]);
});
