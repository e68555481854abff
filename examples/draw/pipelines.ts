import {
  VK_COMPARE_OP_LESS_OR_EQUAL,
  VK_CULL_MODE_NONE,
  VK_FORMAT_R32G32B32A32_SFLOAT,
  VK_POLYGON_MODE_FILL,
  VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
  VK_SAMPLE_COUNT_1_BIT,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_SHADER_STAGE_FRAGMENT_BIT,
  VK_SHADER_STAGE_VERTEX_BIT,
  VK_VERTEX_INPUT_RATE_INSTANCE,
  VK_VERTEX_INPUT_RATE_VERTEX,
  type VkPipeline,
  type VkPipelineLayout,
  type VkPipelineShaderStageCreateInfo,
  type VkPipelineVertexInputStateCreateInfo,
} from "@pumice/gfx/vk";
import * as scene from "../scene/scene.ts";
import type { Gpu } from "./gpu.ts";
import type { Pass } from "./passes.ts";

/** One pipeline per pair or single of shaders, by what it draws or computes. */
export type Pipelines = Readonly<Record<"shadow" | "columns" | "backdrop" | "rock" | "glow" | "develop", VkPipeline>>;

const FORMAT = VK_FORMAT_R32G32B32A32_SFLOAT;
/** Every colour channel: nothing is masked out. */
const RGBA = 0xf;

/** Columns: shape and normal per vertex, four vectors per instance. */
const COLUMN_INPUT: VkPipelineVertexInputStateCreateInfo = {
  pVertexBindingDescriptions: [
    { binding: 0, stride: scene.VERTEX_STRIDE, inputRate: VK_VERTEX_INPUT_RATE_VERTEX },
    { binding: 1, stride: scene.INSTANCE_STRIDE, inputRate: VK_VERTEX_INPUT_RATE_INSTANCE },
  ],
  pVertexAttributeDescriptions: [
    { location: 0, binding: 0, format: FORMAT, offset: 0 },
    { location: 1, binding: 0, format: FORMAT, offset: 16 },
    { location: 2, binding: 1, format: FORMAT, offset: 0 },
    { location: 3, binding: 1, format: FORMAT, offset: 16 },
    { location: 4, binding: 1, format: FORMAT, offset: 32 },
    { location: 5, binding: 1, format: FORMAT, offset: 48 },
  ],
};

/** A pipeline for drawing: depth test, no blending, no culling. */
export interface Drawing {
  /** SPIR-V of the vertex shader. */
  readonly vertex: Uint32Array;
  /** SPIR-V of the fragment shader; none draws depth alone. */
  readonly fragment?: Uint32Array;
  /** The pass that it draws into. */
  readonly pass: Pick<Pass, "renderPass" | "extent">;
  /** Vertex buffers and attributes. Default none. */
  readonly input?: VkPipelineVertexInputStateCreateInfo;
  /** Default false. */
  readonly depthWrite?: boolean;
  /** Default 0. */
  readonly depthSlopeBias?: number;
}

/** Compiles all pipelines. */
export function makePipelines(gpu: Gpu, layout: VkPipelineLayout, shadow: Pass, light: Pass): Pipelines {
  const draw = (drawing: Drawing) => graphicsPipeline(gpu, layout, drawing);
  const compute = (code: Uint32Array) => computePipeline(gpu, layout, code);
  const columns = { input: COLUMN_INPUT, depthWrite: true };
  return {
    shadow: draw({ ...columns, vertex: scene.shadowVert(), pass: shadow, depthSlopeBias: scene.SHADOW_SLOPE_BIAS }),
    columns: draw({ ...columns, vertex: scene.columnVert(), fragment: scene.columnFrag(), pass: light }),
    backdrop: draw({ vertex: scene.backdropVert(), fragment: scene.backdropFrag(), pass: light }),
    rock: compute(scene.rockComp()),
    glow: compute(scene.glowComp()),
    develop: compute(scene.developComp()),
  };
}

/** Compiles one pipeline that draws triangles. */
export function graphicsPipeline(gpu: Gpu, layout: VkPipelineLayout, drawing: Drawing): VkPipeline {
  const { vertex, fragment, pass, input = {}, depthWrite = false, depthSlopeBias = 0 } = drawing;
  const stages = [stage(gpu, vertex, VK_SHADER_STAGE_VERTEX_BIT)];
  if (fragment) stages.push(stage(gpu, fragment, VK_SHADER_STAGE_FRAGMENT_BIT));
  const { pipelines: [pipeline] } = gpu.device.vkCreateGraphicsPipelines(null, [{
    pStages: stages,
    pVertexInputState: input,
    pInputAssemblyState: { topology: VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST },
    pViewportState: {
      pViewports: [{ x: 0, y: 0, ...pass.extent, minDepth: 0, maxDepth: 1 }],
      pScissors: [{ offset: { x: 0, y: 0 }, extent: pass.extent }],
    },
    pRasterizationState: {
      polygonMode: VK_POLYGON_MODE_FILL,
      cullMode: VK_CULL_MODE_NONE,
      lineWidth: 1,
      depthBiasEnable: depthSlopeBias !== 0,
      depthBiasSlopeFactor: depthSlopeBias,
    },
    pMultisampleState: { rasterizationSamples: VK_SAMPLE_COUNT_1_BIT },
    pDepthStencilState: {
      depthTestEnable: true,
      depthWriteEnable: depthWrite,
      depthCompareOp: VK_COMPARE_OP_LESS_OR_EQUAL,
    },
    pColorBlendState: { pAttachments: fragment ? [{ colorWriteMask: RGBA }] : [] },
    layout,
    renderPass: pass.renderPass,
  }]);
  gpu.owned.defer(() => gpu.device.vkDestroyPipeline(pipeline));
  return pipeline;
}

function computePipeline(gpu: Gpu, layout: VkPipelineLayout, code: Uint32Array): VkPipeline {
  const compute = stage(gpu, code, VK_SHADER_STAGE_COMPUTE_BIT);
  const { pipelines: [pipeline] } = gpu.device.vkCreateComputePipelines(null, [{ stage: compute, layout }]);
  gpu.owned.defer(() => gpu.device.vkDestroyPipeline(pipeline));
  return pipeline;
}

function stage(gpu: Gpu, pCode: Uint32Array, bit: number): VkPipelineShaderStageCreateInfo {
  const module = gpu.device.vkCreateShaderModule({ pCode });
  gpu.owned.defer(() => gpu.device.vkDestroyShaderModule(module));
  return { stage: bit, module, pName: "main" };
}
