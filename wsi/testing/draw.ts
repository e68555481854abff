import { checkOptions, number, object, type OptionRules } from "../../ffi/check_options.ts";
import type {
  VkFramebuffer,
  VkImageLayout,
  VkPipeline,
  VkPipelineBindPoint,
  VkPipelineLayout,
  VkPrimitiveTopology,
  VkRenderPass,
} from "../../loader/types.ts";
import type { GpuImage } from "./image.ts";
import { bindInputs, INPUT_RULES, recordInputs, type ShaderInputs, shaderStage } from "./shader.ts";
import { submit } from "./submit.ts";
import type { Workbench } from "./workbench.ts";

/** Something to draw. Vertex shaders find their vertices by `gl_VertexIndex`, in code or in storage buffers. */
export interface DrawOptions extends ShaderInputs {
  /** What is drawn into. */
  readonly target: GpuImage;
  /** Words of SPIR-V with the entry point `main`. */
  readonly vertex: Uint32Array;
  /** The same for fragments. */
  readonly fragment: Uint32Array;
  /** How many vertices. Default 3. */
  readonly vertices?: number;
  /** How many instances. Default 1. */
  readonly instances?: number;
  /** VkPrimitiveTopology. Default VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST. */
  readonly topology?: VkPrimitiveTopology;
  /** What the image is filled with before, red, green, blue and alpha. Default: black without alpha; `null` keeps what is there. */
  readonly clear?: readonly [red: number, green: number, blue: number, alpha: number] | null;
}

const RULES: OptionRules<DrawOptions> = {
  ...INPUT_RULES,
  target: object("what image() returns"),
  vertex: object("words of SPIR-V"),
  fragment: object("words of SPIR-V"),
  vertices: number,
  instances: number,
  topology: number,
  clear: (value) => value === null || Array.isArray(value) ? undefined : "four numbers, or null to keep what is there",
};

/** VK_SHADER_STAGE_VERTEX_BIT, FRAGMENT_BIT; VK_PIPELINE_BIND_POINT_GRAPHICS */
const VERTEX = 1, FRAGMENT = 0x10, STAGES = VERTEX | FRAGMENT, BIND_POINT = 0 as VkPipelineBindPoint;
/** VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL; VK_ATTACHMENT_LOAD_OP_LOAD, CLEAR, DONT_CARE; STORE_OP_STORE, DONT_CARE */
const ATTACHMENT = 2 as VkImageLayout, LOAD = 0, CLEAR = 1, DONT_CARE = 2, STORE = 0, DROP = 1;
/** VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST; all four channels */
const TRIANGLES = 3 as VkPrimitiveTopology, RGBA = 0xf;
/** VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, ALL_GRAPHICS_BIT; VK_ACCESS_MEMORY_READ_BIT | WRITE_BIT; VK_SUBPASS_EXTERNAL */
const ALL = 0x10000, GRAPHICS = 0x8000, ANY_ACCESS = 0x8000 | 0x10000, EXTERNAL = 0xffffffff;

/** Draws into an image, and waits for it. Its layout is VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL afterwards. */
export function draw(bench: Workbench, options: DrawOptions): void {
  checkOptions("draw()", options, RULES);
  const { target, clear = [0, 0, 0, 0], vertices = 3, instances = 1 } = options, { width, height } = target;
  const bound = bindInputs(bench, options, STAGES), renderPass = makePass(bench, target, clear !== null);
  const framebuffer = makeFramebuffer(bench, target, renderPass);
  const pipeline = makePipeline(bench, options, renderPass, bound.layout);
  submit(bench, (commands) => {
    commands.vkCmdBeginRenderPass({
      renderPass,
      framebuffer,
      renderArea: { offset: { x: 0, y: 0 }, extent: { width, height } },
      pClearValues: [{ color: { float32: [...clear ?? [0, 0, 0, 0]] } }],
    }, 0);
    commands.vkCmdBindPipeline(BIND_POINT, pipeline);
    recordInputs(commands, bound, options, STAGES, BIND_POINT);
    commands.vkCmdDraw(vertices, instances, 0, 0);
    commands.vkCmdEndRenderPass();
  });
  target.layout = ATTACHMENT;
}

/** A pass over one image, behind all that was done before and before all that comes. */
function makePass({ device, owned }: Workbench, { format, layout }: GpuImage, clears: boolean): VkRenderPass {
  const access = { srcAccessMask: ANY_ACCESS, dstAccessMask: ANY_ACCESS };
  const renderPass = device.vkCreateRenderPass({
    pAttachments: [{
      format,
      samples: 1,
      loadOp: clears ? CLEAR : LOAD,
      storeOp: STORE,
      stencilLoadOp: DONT_CARE,
      stencilStoreOp: DROP,
      initialLayout: layout,
      finalLayout: ATTACHMENT,
    }],
    pSubpasses: [{ pColorAttachments: [{ attachment: 0, layout: ATTACHMENT }] }],
    pDependencies: [
      { ...access, srcSubpass: EXTERNAL, dstSubpass: 0, srcStageMask: ALL, dstStageMask: GRAPHICS },
      { ...access, srcSubpass: 0, dstSubpass: EXTERNAL, srcStageMask: GRAPHICS, dstStageMask: ALL },
    ],
  });
  owned.defer(() => device.vkDestroyRenderPass(renderPass));
  return renderPass;
}

function makeFramebuffer(bench: Workbench, { view, width, height }: GpuImage, renderPass: VkRenderPass): VkFramebuffer {
  const framebuffer = bench.device.vkCreateFramebuffer({ renderPass, pAttachments: [view], width, height, layers: 1 });
  bench.owned.defer(() => bench.device.vkDestroyFramebuffer(framebuffer));
  return framebuffer;
}

function makePipeline(
  bench: Workbench,
  { target: { width, height }, vertex, fragment, topology = TRIANGLES }: DrawOptions,
  renderPass: VkRenderPass,
  layout: VkPipelineLayout,
): VkPipeline {
  const extent = { width, height };
  const { pipelines: [pipeline] } = bench.device.vkCreateGraphicsPipelines(null, [{
    pStages: [shaderStage(bench, vertex, VERTEX), shaderStage(bench, fragment, FRAGMENT)],
    pVertexInputState: {},
    pInputAssemblyState: { topology },
    pViewportState: {
      pViewports: [{ x: 0, y: 0, ...extent, minDepth: 0, maxDepth: 1 }],
      pScissors: [{ offset: { x: 0, y: 0 }, extent }],
    },
    pRasterizationState: { lineWidth: 1 },
    pMultisampleState: { rasterizationSamples: 1 },
    pColorBlendState: { pAttachments: [{ colorWriteMask: RGBA }] },
    layout,
    renderPass,
  }]);
  bench.owned.defer(() => bench.device.vkDestroyPipeline(pipeline));
  return pipeline;
}
