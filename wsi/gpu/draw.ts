import { checkOptions, number, object, type OptionRules } from "../../ffi/check_options.ts";
import {
  VK_COLOR_COMPONENT_A_BIT,
  VK_COLOR_COMPONENT_B_BIT,
  VK_COLOR_COMPONENT_G_BIT,
  VK_COLOR_COMPONENT_R_BIT,
  VK_COMPARE_OP_LESS,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
  VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
  VK_SAMPLE_COUNT_1_BIT,
  VK_SUBPASS_CONTENTS_INLINE,
} from "../../loader/gen/enums_core_gen.js";
import type {
  VkGraphicsPipelineCreateInfo,
  VkPipeline,
  VkPipelineLayout,
  VkPrimitiveTopology,
} from "../../loader/types.ts";
import { type Bench, duringCall, ownedDevice, type Owning, submit } from "./bench.ts";
import type { GpuImage } from "./image.ts";
import { bindInputs, INPUT_RULES, recordInputs, recordLayouts, type ShaderInputs } from "./inputs.ts";
import { makePass, type Pass, type PassFacts } from "./render_pass.ts";
import { makeShader, makeStage, type Shader, type ShaderCode, shaderCode } from "./shader.ts";

/** Something to draw. Vertex shaders compute their vertices from the vertex index, or read them from storage buffers. */
export interface DrawOptions extends ShaderInputs {
  /** The image to draw to. */
  readonly target: GpuImage;
  /** An image of a depth format and of the target's size. Pixels behind earlier ones are not drawn. */
  readonly depth?: GpuImage;
  /** The vertex shader. */
  readonly vertex: ShaderCode;
  /** The fragment shader; both may be entry points of the same code. */
  readonly fragment: ShaderCode;
  /** The number of vertices. Default 3. */
  readonly vertices?: number;
  /** The number of instances. Default 1. */
  readonly instances?: number;
  /** VkPrimitiveTopology. Default VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST. */
  readonly topology?: VkPrimitiveTopology;
  /**
   * The color with which the target is filled first: red, green, blue and alpha, 0 to 1. The depth is then 1
   * everywhere. Default: black with alpha 0. `null` keeps the contents of both images.
   */
  readonly clear?: readonly [red: number, green: number, blue: number, alpha: number] | null;
}

const IMAGE = object("what image() returns");
const RULES: OptionRules<DrawOptions> = {
  ...INPUT_RULES,
  target: IMAGE,
  depth: IMAGE,
  vertex: shaderCode,
  fragment: shaderCode,
  vertices: number,
  instances: number,
  topology: number,
  clear: (value) => value === null || Array.isArray(value) ? undefined : "four numbers, or null to keep what is there",
};
const FARTHEST = 1;

/** Draws into an image, and waits for it. The images are in the layouts of attachments afterwards. */
export function draw(bench: Bench, options: DrawOptions): void {
  checkOptions("draw()", options, RULES, ["target", "vertex", "fragment"]);
  duringCall(bench, (own) => run(own, options));
}

function run(bench: Bench, options: DrawOptions): void {
  const { vertices = 3, instances = 1 } = options;
  const shaders = [makeShader(bench, options.vertex, "vertex"), makeShader(bench, options.fragment, "fragment")];
  const bound = bindInputs(bench, shaders, options);
  submit(bench, (commands) => {
    recordLayouts(commands, bound);
    const pass = makePass(bench, options), pipeline = makePipeline(bench, options, shaders, pass, bound.layout);
    commands.vkCmdBeginRenderPass(beginning(pass, options), VK_SUBPASS_CONTENTS_INLINE);
    commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    recordInputs(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, bound, shaders, options);
    commands.vkCmdDraw(vertices, instances, 0, 0);
    commands.vkCmdEndRenderPass();
    pass.leave();
  });
}

function beginning({ renderPass, framebuffer }: Pass, { target: { width, height }, clear, depth }: DrawOptions) {
  const color = { color: { float32: [...clear ?? [0, 0, 0, 0]] } },
    far = { depthStencil: { depth: FARTHEST, stencil: 0 } };
  const renderArea = { offset: { x: 0, y: 0 }, extent: { width, height } };
  return { renderPass, framebuffer, renderArea, pClearValues: depth ? [color, far] : [color] };
}

/** Makes the pipeline of a draw: no blending, no culling, the whole target. */
function makePipeline(
  bench: Bench,
  { target: { width, height }, depth, topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST }: DrawOptions,
  shaders: readonly Shader[],
  { renderPass }: Pass,
  layout: VkPipelineLayout,
): VkPipeline {
  const nearest = { depthTestEnable: true, depthWriteEnable: true, depthCompareOp: VK_COMPARE_OP_LESS };
  return makeGraphicsPipeline(bench, {
    pStages: shaders.map(({ info }) => info),
    pInputAssemblyState: { topology },
    pDepthStencilState: depth ? nearest : null,
    layout,
    renderPass,
  }, { samples: VK_SAMPLE_COUNT_1_BIT, colors: 1, width, height });
}

/**
 * The differences of a graphics pipeline from one that covers its pass with triangles, without vertex buffers,
 * culling, depth or blending.
 */
export interface GraphicsPipelineInfo extends VkGraphicsPipelineCreateInfo {
  /** The vertex shader. */
  readonly vertex?: ShaderCode;
  /** The fragment shader. */
  readonly fragment?: ShaderCode;
  /** Pixels of the viewport and the scissor. Default: the area of the pass that `renderPass` belongs to. */
  readonly extent?: { readonly width: number; readonly height: number };
}

const RGBA = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;

/** Makes a pipeline. What the info says replaces the defaults, member by member. */
export function makeGraphicsPipeline(bench: Owning, info: GraphicsPipelineInfo, pass?: PassFacts): VkPipeline {
  const device = ownedDevice(bench.device, bench.owned), { vertex, fragment, extent = pass, ...given } = info;
  const stages = [
    ...vertex ? [makeStage(bench, vertex, "vertex")] : [],
    ...fragment ? [makeStage(bench, fragment, "fragment")] : [],
  ];
  const { width = 1, height = 1 } = extent ?? {}, area = { extent: { width, height } };
  const { pipelines: [pipeline] } = device.vkCreateGraphicsPipelines(null, [{
    pStages: stages,
    pVertexInputState: {},
    pInputAssemblyState: { topology: VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST },
    pViewportState: { pViewports: [{ width, height, maxDepth: 1 }], pScissors: [area] },
    pRasterizationState: { lineWidth: 1 },
    pMultisampleState: { rasterizationSamples: (pass?.samples ?? VK_SAMPLE_COUNT_1_BIT) as never },
    pColorBlendState: { pAttachments: Array.from({ length: colorsOf(info, pass) }, () => ({ colorWriteMask: RGBA })) },
    ...given,
    layout: given.layout ?? device.vkCreatePipelineLayout({}),
  }]);
  return pipeline;
}

/** Returns the number of colours that a pipeline writes: those of its pass, or of dynamic rendering. */
function colorsOf({ pNext }: GraphicsPipelineInfo, pass: PassFacts | undefined): number {
  const links = [pNext].flat() as { pColorAttachmentFormats?: readonly unknown[] }[];
  return pass?.colors ?? links.find((each) => each?.pColorAttachmentFormats)?.pColorAttachmentFormats?.length ?? 0;
}
