/** A draw into an image of four samples writes and counts no sample beside the scissor. */
import { gpuTest } from "@pumice/gfx/testing";
import {
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
  VK_QUERY_CONTROL_PRECISE_BIT,
  VK_QUERY_TYPE_OCCLUSION,
  VK_RESOLVE_MODE_AVERAGE_BIT,
  VK_SAMPLE_COUNT_4_BIT,
} from "@pumice/gfx/vk";
import { deepStrictEqual } from "node:assert/strict";
import { OPTIONS, pass, pipeline, read, ready, target } from "./parts.ts";

const features = { occlusionQueryPrecise: true };

gpuTest("a draw with four samples keeps to the scissor", { ...OPTIONS, features }, (context) => {
  const { device, owned } = context, width = 8, height = 8;
  const size = { width, height, format: VK_FORMAT_R8G8B8A8_UNORM, usage: VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT };
  const image = target(context, { ...size, samples: VK_SAMPLE_COUNT_4_BIT }), resolved = target(context, size);
  const pViewports = [{ width, height, minDepth: 0, maxDepth: 1 }];
  const pScissors = [{ offset: { x: 3, y: 3 }, extent: { width: 2, height: 1 } }];
  const drawing = pipeline(context, image, { pViewportState: { pViewports, pScissors } });
  const queries = device.vkCreateQueryPool({ queryType: VK_QUERY_TYPE_OCCLUSION, queryCount: 1 });
  owned.defer(() => device.vkDestroyQueryPool(queries));
  context.submit((commands) => {
    commands.vkCmdResetQueryPool(queries, 0, 1);
    for (const each of [image, resolved]) ready(commands, each);
    commands.vkCmdBeginQuery(queries, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    pass(commands, image, [0, 0, 0, 0], () => {
      commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_GRAPHICS, drawing);
      commands.vkCmdDraw(3, 1, 0, 0);
    }, {
      resolveMode: VK_RESOLVE_MODE_AVERAGE_BIT,
      resolveImageView: resolved.view,
      resolveImageLayout: VK_IMAGE_LAYOUT_GENERAL,
    });
    commands.vkCmdEndQuery(queries, 0);
  });
  const { data: counted } = device.vkGetQueryPoolResults(queries, 0, 1, 4, 4n);
  const red = read(context, resolved, 4).bytes.filter((_, index) => index % 4 === 0);
  const painted = [...red].flatMap((value, index) => value > 0 ? [[index % width, Math.floor(index / width)]] : []);
  deepStrictEqual({ painted, counted: counted[0] }, { painted: [[3, 3], [4, 3]], counted: 8 });
});
