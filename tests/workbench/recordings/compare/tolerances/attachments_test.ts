import { assertEquals } from "@std/assert";
import { paintFFrag, pulledVert } from "../../../../../wsi/gpu/shaders/shaders_gen.ts";
import type { VkCommandBuffer, VkImageView, VkRenderPassBeginInfo } from "../../../../../loader/types.ts";
import * as vk from "../../../../../loader/vk.ts";
import { lavapipePath } from "../../../../../tools/setup/parts.ts";
import { turnImage } from "../../../../../wsi/gpu/barriers.ts";
import type { Gpu } from "../../../../../wsi/gpu/open_gpu.ts";
import { needs } from "../../../../support/require.ts";
import { type Plant, planted } from "../programs/planted_layer.ts";
import { amountsIn } from "./recorded.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()), GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL;
const FORMAT = vk.VK_FORMAT_R16_SFLOAT, SIDE = 2, LAYERS = 4;
/** A clear value that is rounded; the next number of the format is within its tolerance, and 2 is not. */
const THIRD = 1 / 3, NEXT = THIRD + 2 ** -12, FAR = 2;
const FEATURES = {
  pNext: [
    { sType: vk.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, multiview: true },
    { sType: vk.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, dynamicRendering: true },
  ],
} as const;

/** Views of an image of four layers or four slices: the last three, and the first one. */
interface Layered {
  readonly view: VkImageView;
  readonly first: VkImageView;
}

/** A pass into such views. */
interface Shape {
  readonly layers: number;
  /** The views of the first subpass. With some, more subpasses draw into another view, and into the first layer. */
  readonly viewMask?: number;
  readonly clears?: boolean;
}

/** A way to give two of the three layers of the view a number that is rounded. */
interface Painting {
  /** A fault that paints with another number: the next one, or one far away. */
  fault(isNext: boolean): Plant;
  readonly slices?: boolean;
  record(gpu: Gpu, commands: VkCommandBuffer, layered: Layered): void;
}

const AREA = { extent: { width: SIDE, height: SIDE } },
  COLOR = (value: number) => ({ float32: [value, 0, 0, 0] as const });
const ATTACHMENT = { imageLayout: GENERAL, storeOp: vk.VK_ATTACHMENT_STORE_OP_STORE } as const;

function pass({ ownedDevice }: Gpu, { view, first }: Layered, { layers, viewMask, clears = false }: Shape) {
  const into = (attachment: number) => ({ pColorAttachments: [{ attachment, layout: GENERAL }] });
  const attachment = {
    format: FORMAT,
    samples: 1,
    loadOp: clears ? vk.VK_ATTACHMENT_LOAD_OP_CLEAR : vk.VK_ATTACHMENT_LOAD_OP_LOAD,
    storeOp: vk.VK_ATTACHMENT_STORE_OP_STORE,
    initialLayout: GENERAL,
    finalLayout: GENERAL,
  } as const;
  const isSplit = viewMask !== undefined && !clears;
  const views = {
    sType: vk.VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO,
    pViewMasks: isSplit ? [viewMask, 0b10, 0b1] : [viewMask!],
  } as const;
  const renderPass = ownedDevice.vkCreateRenderPass({
    pNext: viewMask === undefined ? [] : [views],
    pAttachments: isSplit ? [attachment, attachment] : [attachment],
    pSubpasses: isSplit ? [into(0), into(0), into(1)] : [into(0)],
  });
  const pAttachments = isSplit ? [view, first] : [view];
  const framebuffer = ownedDevice.vkCreateFramebuffer({ renderPass, pAttachments, width: SIDE, height: SIDE, layers });
  return { renderPass, framebuffer, renderArea: AREA, rest: isSplit ? 2 : 0 };
}

/** Carries out commands in the first subpass. */
function inPass(
  commands: VkCommandBuffer,
  { rest, ...begin }: ReturnType<typeof pass> & VkRenderPassBeginInfo,
  record: () => void,
): void {
  commands.vkCmdBeginRenderPass(begin, vk.VK_SUBPASS_CONTENTS_INLINE);
  record();
  for (let subpass = 0; subpass < rest; subpass++) commands.vkCmdNextSubpass(vk.VK_SUBPASS_CONTENTS_INLINE);
  commands.vkCmdEndRenderPass();
}

function member(command: string, at: number, struct: string, path: string): Painting["fault"] {
  return (isNext) => ({ command, nth: 0, change: "struct", at, struct, members: { [path]: isNext ? NEXT : FAR } });
}

const RENDER_PASS = member("vkCmdBeginRenderPass", 1, "VkRenderPassBeginInfo", "pClearValues.0.color.float32.0");
const RENDERING = member("vkCmdBeginRendering", 1, "VkRenderingInfo", "pColorAttachments.0.clearValue.color.float32.0");
const INSIDE = member("vkCmdClearAttachments", 2, "VkClearAttachment", "clearValue.color.float32.0");
/** Adds to the bits of the number: a step of 16 bits, or one of the exponent. */
const DRAW: Painting["fault"] = (isNext) => ({
  command: "vkCmdSetBlendConstants",
  nth: 0,
  change: "word",
  at: 1,
  by: isNext ? 1 << 13 : 1 << 23,
});

function renderPass(shape: Shape): Painting["record"] {
  return (gpu, commands, layered) => {
    const pClearValues = [{ color: COLOR(THIRD) }];
    inPass(commands, { ...pass(gpu, layered, { ...shape, clears: true }), pClearValues }, () => {});
  };
}

function rendering(layerCount: number, viewMask: number): Painting["record"] {
  return (_gpu, commands, { view }) => {
    const clearing = { loadOp: vk.VK_ATTACHMENT_LOAD_OP_CLEAR, clearValue: { color: COLOR(THIRD) } } as const;
    const pColorAttachments = [{ ...ATTACHMENT, imageView: view, ...clearing }];
    commands.vkCmdBeginRendering({ renderArea: AREA, layerCount, viewMask, pColorAttachments });
    commands.vkCmdEndRendering();
  };
}

function inside(shape: Shape, baseArrayLayer: number, layerCount: number): Painting["record"] {
  return (gpu, commands, layered) => {
    const clear = { aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT, clearValue: { color: COLOR(THIRD) } } as const;
    inPass(commands, pass(gpu, layered, shape), () => {
      commands.vkCmdClearAttachments([clear], [{ rect: AREA, baseArrayLayer, layerCount }]);
    });
  };
}

/** Draws over everything in a number that blending brings. */
function drawing(shape: Shape): Painting["record"] {
  return (gpu, commands, layered) => {
    const { ownedDevice } = gpu,
      made = pass(gpu, layered, shape),
      [vertex, fragment] = [pulledVert(), paintFFrag()].map((pCode) => ownedDevice.vkCreateShaderModule({ pCode }));
    const stageFlags = vk.VK_SHADER_STAGE_VERTEX_BIT,
      layout = ownedDevice.vkCreatePipelineLayout({ pPushConstantRanges: [{ stageFlags, size: 48 }] });
    const { pipelines: [pipeline] } = ownedDevice.vkCreateGraphicsPipelines(null, [{
      pStages: [{ stage: stageFlags, module: vertex, pName: "main" }, {
        stage: vk.VK_SHADER_STAGE_FRAGMENT_BIT,
        module: fragment,
        pName: "main",
      }],
      pVertexInputState: {},
      pInputAssemblyState: { topology: vk.VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST },
      pViewportState: { pViewports: [{ width: SIDE, height: SIDE, maxDepth: 1 }], pScissors: [AREA] },
      pRasterizationState: { cullMode: vk.VK_CULL_MODE_NONE, lineWidth: 1 },
      pMultisampleState: { rasterizationSamples: 1 },
      pColorBlendState: {
        pAttachments: [{
          blendEnable: true,
          srcColorBlendFactor: vk.VK_BLEND_FACTOR_CONSTANT_COLOR,
          colorWriteMask: 15,
        }],
      },
      pDynamicState: { pDynamicStates: [vk.VK_DYNAMIC_STATE_BLEND_CONSTANTS] },
      layout,
      renderPass: made.renderPass,
    }]);
    const push = new ArrayBuffer(48);
    new Float32Array(push).set([-1, -1, 1, 1, 0.5]);
    new Uint32Array(push).set([255, 255, 255, 255], 8);
    commands.vkCmdBindPipeline(vk.VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    commands.vkCmdSetBlendConstants([THIRD, 0, 0, 0]);
    commands.vkCmdPushConstants(layout, stageFlags, 0, new Uint8Array(push));
    inPass(commands, made, () => commands.vkCmdDraw(6, 1, 0, 0));
  };
}

const VIEWS = { layers: 1, viewMask: 0b101 }, TWO = { layers: 2 }, THREE = { layers: 3 };
const PAINTINGS: Readonly<Record<string, Painting>> = {
  "a render pass with two views": { fault: RENDER_PASS, record: renderPass(VIEWS) },
  "dynamic rendering with two views": { fault: RENDERING, record: rendering(0, VIEWS.viewMask) },
  "a clear inside the first subpass, with two views": { fault: INSIDE, record: inside(VIEWS, 0, 1) },
  "a draw in the first subpass, with two views": { fault: DRAW, record: drawing(VIEWS) },
  "a render pass with two layers": { fault: RENDER_PASS, record: renderPass(TWO) },
  "dynamic rendering with two layers": { fault: RENDERING, record: rendering(2, 0) },
  "a clear of two layers inside a pass with three": { fault: INSIDE, record: inside(THREE, 1, 2) },
  "a render pass with two slices": { fault: RENDER_PASS, slices: true, record: renderPass(TWO) },
  "dynamic rendering with two slices": { fault: RENDERING, slices: true, record: rendering(2, 0) },
  "a clear of two slices inside a pass with three": { fault: INSIDE, slices: true, record: inside(THREE, 1, 2) },
};

/** All is cleared to 1, which is exact, and some of that by what is tried. */
function record(gpu: Gpu, { slices = false, record }: Painting): void {
  const image = gpu.bareImage({
    flags: slices ? vk.VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT : 0,
    imageType: slices ? vk.VK_IMAGE_TYPE_3D : vk.VK_IMAGE_TYPE_2D,
    format: FORMAT,
    extent: { width: SIDE, height: SIDE, depth: slices ? LAYERS : 1 },
    arrayLayers: slices ? 1 : LAYERS,
    usage: vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT | vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
      vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  });
  const whole = { aspectMask: 1, levelCount: 1, layerCount: slices ? 1 : LAYERS };
  const [first, view] = [[0, 1], [1, 3]].map(([baseArrayLayer, layerCount]) =>
    gpu.view(image, {
      viewType: vk.VK_IMAGE_VIEW_TYPE_2D_ARRAY,
      subresourceRange: { aspectMask: 1, levelCount: 1, baseArrayLayer, layerCount },
    })
  );
  gpu.submit((commands) => {
    turnImage(commands, image, vk.VK_IMAGE_LAYOUT_UNDEFINED, GENERAL);
    commands.vkCmdClearColorImage(image, GENERAL, COLOR(1), [whole]);
    turnImage(commands, image, GENERAL, GENERAL);
    record(gpu, commands, { view, first });
  });
}

for (const [name, painting] of Object.entries(PAINTINGS)) {
  Deno.test(`${name}: what is computed may differ by a step, and the layers beside may not`, LAVAPIPE, () => {
    const driver = lavapipePath()!;
    // The second clear, behind that of undefined contents, has the next number of 16 bits.
    const beside: Plant = { command: "vkCmdClearColorImage", nth: 1, change: "word", at: 3, by: 1 << 13 };
    const faults = [painting.fault(true), painting.fault(false), beside].map(planted),
      half = { "VkImage#1 level 0 color": 2 * SIDE ** 2 };
    assertEquals(amountsIn(driver, (gpu) => record(gpu, painting), faults, undefined, FEATURES), [{}, half, half]);
  });
}
