import {
  VK_COLOR_COMPONENT_A_BIT,
  VK_COLOR_COMPONENT_B_BIT,
  VK_COLOR_COMPONENT_G_BIT,
  VK_COLOR_COMPONENT_R_BIT,
  VK_COMPARE_OP_LESS,
  VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
  VK_SAMPLE_COUNT_1_BIT,
} from "../../loader/gen/enums_core_gen.js";
import type { VkPipeline, VkPipelineLayout } from "../../loader/types.ts";
import type { Bench } from "./bench.ts";
import type { DrawOptions } from "./draw.ts";
import type { Pass } from "./render_pass.ts";
import type { Shader } from "./shader.ts";

const RGBA = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;

/** Makes the pipeline of a draw: no blending, no culling, the whole target. */
export function makePipeline(
  { device, owned }: Bench,
  { target, depth, topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST }: DrawOptions,
  shaders: readonly Shader[],
  { renderPass }: Pass,
  layout: VkPipelineLayout,
): VkPipeline {
  const extent = { width: target.width, height: target.height };
  const { pipelines: [pipeline] } = device.vkCreateGraphicsPipelines(null, [{
    pStages: shaders.map(({ info }) => info),
    pVertexInputState: {},
    pInputAssemblyState: { topology },
    pViewportState: {
      pViewports: [{ x: 0, y: 0, ...extent, minDepth: 0, maxDepth: 1 }],
      pScissors: [{ offset: { x: 0, y: 0 }, extent }],
    },
    pRasterizationState: { lineWidth: 1 },
    pMultisampleState: { rasterizationSamples: VK_SAMPLE_COUNT_1_BIT },
    pDepthStencilState: depth
      ? { depthTestEnable: true, depthWriteEnable: true, depthCompareOp: VK_COMPARE_OP_LESS }
      : null,
    pColorBlendState: { pAttachments: [{ colorWriteMask: RGBA }] },
    layout,
    renderPass,
  }]);
  owned.defer(() => device.vkDestroyPipeline(pipeline));
  return pipeline;
}
