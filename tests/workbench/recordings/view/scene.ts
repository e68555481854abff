/**
 * A recording in which each draw is kept from a texel by one test of the pipeline, known from how it is made.
 *
 * @module
 */
import { translate } from "naga-wasm";
import * as vk from "../../../../loader/vk.ts";
import type { VkCommandBuffer } from "../../../../loader/types.ts";
import type { DropReason } from "../../../../workbench/recordings/view/types.ts";
import { apiRecording } from "../../../../workbench/layers.ts";
import { type Gpu, openGpu } from "../../../../wsi/gpu/open_gpu.ts";
import { turnImage } from "../../../../wsi/gpu/barriers.ts";

const SIDE = 16, FORMAT = vk.VK_FORMAT_R8G8B8A8_UNORM, DEPTH = vk.VK_FORMAT_D32_SFLOAT_S8_UINT;
/** The texel at which the history is looked. */
export const TEXEL = { x: 5, y: 6 };

const VERTEX = `#version 450
layout(push_constant) uniform Push { vec4 rect; vec4 color; float depth; float discarded; } push;
void main() {
  vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1);
  gl_Position = vec4(mix(push.rect.xy, push.rect.zw, corner), push.depth, 1.0);
}`;
const FRAGMENT = `#version 450
layout(push_constant) uniform Push { vec4 rect; vec4 color; float depth; float discarded; } push;
layout(location = 0) out vec4 color;
void main() {
  if (push.discarded > 0.5) discard;
  color = push.color;
}`;
const PUSHED = 48, STAGES = vk.VK_SHADER_STAGE_VERTEX_BIT | vk.VK_SHADER_STAGE_FRAGMENT_BIT;

/** A draw of the scene. */
export interface SceneDraw {
  /** The reason why the draw leaves the texel as it is; `undefined` if it writes. */
  readonly reason?: DropReason;
  readonly color: readonly [number, number, number, number];
  readonly rect?: readonly [number, number, number, number];
  readonly depth?: number;
  readonly discards?: boolean;
  readonly scissor?: { readonly x: number; readonly width: number };
  readonly cullMode?: number;
  readonly stencil?: boolean;
  readonly writeMask?: number;
}

const RED = [1, 0, 0, 1] as const, GREEN = [0, 1, 0, 1] as const, BLUE = [0, 0, 1, 1] as const;
/** The draws, in order. */
export const DRAWS: readonly SceneDraw[] = [
  { color: RED, depth: 0.5 },
  { reason: "scissor", color: GREEN, depth: 0.2, scissor: { x: 8, width: 8 } },
  { reason: "culled", color: GREEN, depth: 0.2, cullMode: vk.VK_CULL_MODE_FRONT_AND_BACK },
  { reason: "depth", color: GREEN, depth: 0.9 },
  { reason: "stencil", color: GREEN, depth: 0.2, stencil: true },
  { reason: "discarded", color: GREEN, depth: 0.2, discards: true },
  { reason: "masked", color: GREEN, depth: 0.45, writeMask: 0 },
  { reason: "same value", color: RED, depth: 0.4 },
  { reason: "not covered", color: GREEN, depth: 0.2, rect: [0.5, 0.5, 1, 1] },
  { color: BLUE, depth: 0.1 },
  { reason: "depth", color: RED, depth: 0.3 },
];

/** The shape of the scene. */
export interface SceneShape {
  readonly samples: 1 | 4;
  /** Whether scissor and viewport are dynamic. */
  readonly isDynamic: boolean;
  /** Whether the draws are in a secondary command buffer. */
  readonly isSecondary: boolean;
  /** Whether the draws take their arguments from a buffer. */
  readonly isIndirect: boolean;
}

/** Records the scene. Returns nothing: the names are those of the first image, or of the second if that is resolved. */
export function recordScene(path: string, driver: string, shape: SceneShape, draws = DRAWS): void {
  using recording = apiRecording({ path });
  {
    using gpu = openGpu({ driver, layers: [recording.layer] });
    draw(gpu, shape, draws);
  }
  recording.close();
  if (recording.error !== undefined || recording.gaps.length > 0) throw recording.error ?? recording.gaps;
}

function draw(gpu: Gpu, shape: SceneShape, draws: readonly SceneDraw[]): void {
  const { ownedDevice: device } = gpu, { samples } = shape;
  const image = (format: number, usage: number, samples: number) =>
    gpu.bareImage({
      imageType: vk.VK_IMAGE_TYPE_2D,
      format,
      extent: { width: SIDE, height: SIDE, depth: 1 },
      arrayLayers: 1,
      samples,
      usage,
    } as never);
  const TRANSFERS = vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT | vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const color = image(FORMAT, vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | TRANSFERS, samples);
  const depth = image(DEPTH, vk.VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | TRANSFERS, samples);
  const resolved = samples > 1 ? image(FORMAT, vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | TRANSFERS, 1) : undefined;
  const view = (image: bigint, format: number, aspectMask: number) =>
    device.vkCreateImageView({
      image: image as never,
      viewType: vk.VK_IMAGE_VIEW_TYPE_2D,
      format: format as never,
      subresourceRange: { aspectMask, levelCount: 1, layerCount: 1 },
    });
  const attachment = (format: number, samples: number, loadOp: number, layout: number) => ({
    format,
    samples,
    loadOp,
    storeOp: vk.VK_ATTACHMENT_STORE_OP_STORE,
    stencilLoadOp: loadOp,
    stencilStoreOp: vk.VK_ATTACHMENT_STORE_OP_STORE,
    initialLayout: vk.VK_IMAGE_LAYOUT_UNDEFINED,
    finalLayout: layout,
  });
  const CLEAR = vk.VK_ATTACHMENT_LOAD_OP_CLEAR, IS_COLOR = vk.VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  const IS_DEPTH = vk.VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
  const renderPass = device.vkCreateRenderPass({
    pAttachments: [
      attachment(FORMAT, samples, CLEAR, IS_COLOR),
      attachment(DEPTH, samples, CLEAR, IS_DEPTH),
      ...resolved ? [attachment(FORMAT, 1, vk.VK_ATTACHMENT_LOAD_OP_DONT_CARE, IS_COLOR)] : [],
    ] as never,
    pSubpasses: [{
      pColorAttachments: [{ attachment: 0, layout: IS_COLOR }],
      ...resolved && { pResolveAttachments: [{ attachment: 2, layout: IS_COLOR }] },
      pDepthStencilAttachment: { attachment: 1, layout: IS_DEPTH },
    }] as never,
  });
  const pAttachments = [
    view(color, FORMAT, vk.VK_IMAGE_ASPECT_COLOR_BIT),
    view(depth, DEPTH, vk.VK_IMAGE_ASPECT_DEPTH_BIT | vk.VK_IMAGE_ASPECT_STENCIL_BIT),
    ...resolved ? [view(resolved, FORMAT, vk.VK_IMAGE_ASPECT_COLOR_BIT)] : [],
  ];
  const framebuffer = device.vkCreateFramebuffer({ renderPass, pAttachments, width: SIDE, height: SIDE, layers: 1 });
  const layout = device.vkCreatePipelineLayout({ pPushConstantRanges: [{ stageFlags: STAGES, size: PUSHED }] });
  const [vertex, fragment] = (["vertex", "fragment"] as const).map((stage) => {
    const source = stage === "vertex" ? VERTEX : FRAGMENT;
    return gpu.device.vkCreateShaderModule({
      pCode: translate({ from: "glsl", to: "spirv", source, parse: { stage } }) as never,
    });
  });
  const stage = (stage: number, module: bigint) => ({ stage, module, pName: "main" });
  const FRONT = { offset: { x: 0, y: 0 }, extent: { width: SIDE, height: SIDE } };
  const rectOf = ({ scissor }: SceneDraw) =>
    scissor ? { offset: { x: scissor.x, y: 0 }, extent: { width: scissor.width, height: SIDE } } : FRONT;
  const viewport = { width: SIDE, height: SIDE, maxDepth: 1 };
  const pipelines = draws.map((each) => {
    const face = {
      compareOp: each.stencil ? vk.VK_COMPARE_OP_NEVER : vk.VK_COMPARE_OP_ALWAYS,
      passOp: vk.VK_STENCIL_OP_INCREMENT_AND_CLAMP,
      compareMask: 255,
      writeMask: 255,
      reference: 1,
    };
    const { pipelines: [pipeline] } = device.vkCreateGraphicsPipelines(null, [{
      pStages: [
        stage(vk.VK_SHADER_STAGE_VERTEX_BIT, vertex),
        stage(vk.VK_SHADER_STAGE_FRAGMENT_BIT, fragment),
      ] as never,
      pVertexInputState: {},
      pInputAssemblyState: { topology: vk.VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP },
      pViewportState: shape.isDynamic
        ? { viewportCount: 1, scissorCount: 1 }
        : { pViewports: [viewport], pScissors: [rectOf(each)] },
      pRasterizationState: { cullMode: (each.cullMode ?? vk.VK_CULL_MODE_NONE) as never, lineWidth: 1 },
      pMultisampleState: { rasterizationSamples: samples as never },
      pDepthStencilState: {
        depthTestEnable: true,
        depthWriteEnable: true,
        depthCompareOp: vk.VK_COMPARE_OP_LESS,
        stencilTestEnable: true,
        front: face as never,
        back: face as never,
      },
      pColorBlendState: { pAttachments: [{ colorWriteMask: (each.writeMask ?? 15) as never }] },
      ...shape.isDynamic &&
        { pDynamicState: { pDynamicStates: [vk.VK_DYNAMIC_STATE_VIEWPORT, vk.VK_DYNAMIC_STATE_SCISSOR] } },
      layout,
      renderPass,
    }]);
    return pipeline;
  });
  for (const module of [vertex, fragment]) gpu.device.vkDestroyShaderModule(module); // as most programs do
  const indirect = gpu.buffer(new Uint32Array([4, 1, 0, 0]));
  const record = (commands: VkCommandBuffer) => {
    for (const [index, each] of draws.entries()) {
      const push = new Float32Array(PUSHED / 4);
      push.set([...each.rect ?? [-1, -1, 1, 1], ...each.color, each.depth ?? 0, each.discards ? 1 : 0]);
      commands.vkCmdBindPipeline(vk.VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[index]);
      if (shape.isDynamic) {
        commands.vkCmdSetViewport(0, [viewport]);
        commands.vkCmdSetScissor(0, [rectOf(each)]);
      }
      commands.vkCmdPushConstants(layout, STAGES, 0, push);
      if (shape.isIndirect) commands.vkCmdDrawIndirect(indirect.buffer, 0n, 1, 16);
      else commands.vkCmdDraw(4, 1, 0, 0);
    }
  };
  const pClearValues = [{ color: { float32: [0, 0, 0, 0] } }, { depthStencil: { depth: 1, stencil: 0 } }] as never;
  const begin = { renderPass, framebuffer, renderArea: FRONT, pClearValues };
  const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const [secondary] = device.vkAllocateCommandBuffers({
    commandPool,
    level: vk.VK_COMMAND_BUFFER_LEVEL_SECONDARY,
    commandBufferCount: 1,
  });
  if (shape.isSecondary) {
    secondary.vkBeginCommandBuffer({
      flags: vk.VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
      pInheritanceInfo: { renderPass, subpass: 0 },
    });
    record(secondary);
    secondary.vkEndCommandBuffer();
  }
  gpu.submit((commands) => {
    commands.vkCmdBeginRenderPass(
      begin,
      shape.isSecondary ? vk.VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : vk.VK_SUBPASS_CONTENTS_INLINE,
    );
    if (shape.isSecondary) commands.vkCmdExecuteCommands([secondary]);
    else record(commands);
    commands.vkCmdEndRenderPass();
    if (!resolved) blit(commands, color);
  });
}

/** Copies the right half of an image over the left one: the texel gets what is at its right. */
function blit(commands: VkCommandBuffer, image: bigint): void {
  const subresource = { aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT, layerCount: 1 }, GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL;
  turnImage(commands, image as never, vk.VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, GENERAL);
  const clear = { offset: { x: 8, y: 0, z: 0 } };
  commands.vkCmdBlitImage(image as never, GENERAL, image as never, GENERAL, [{
    srcSubresource: subresource,
    srcOffsets: [clear.offset, { x: 16, y: 16, z: 1 }],
    dstSubresource: subresource,
    dstOffsets: [{ x: 0, y: 0, z: 0 }, { x: 8, y: 16, z: 1 }],
  }], vk.VK_FILTER_NEAREST);
}
