import {
  VK_BLEND_FACTOR_CONSTANT_COLOR,
  VK_BLEND_FACTOR_ONE,
  VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR,
  VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
  VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR,
  VK_BLEND_FACTOR_SRC_ALPHA,
  VK_BLEND_FACTOR_SRC_COLOR,
  VK_BLEND_FACTOR_ZERO,
  VK_BLEND_OP_ADD,
  VK_BLEND_OP_MAX,
  VK_BLEND_OP_MIN,
  VK_BLEND_OP_REVERSE_SUBTRACT,
  VK_BLEND_OP_SUBTRACT,
  VK_COMPARE_OP_ALWAYS,
  VK_COMPARE_OP_GREATER,
  VK_COMPARE_OP_GREATER_OR_EQUAL,
  VK_COMPARE_OP_LESS,
  VK_COMPARE_OP_LESS_OR_EQUAL,
  VK_COMPARE_OP_NEVER,
  VK_COMPARE_OP_NOT_EQUAL,
  VK_PIPELINE_BIND_POINT_GRAPHICS,
  VK_POLYGON_MODE_FILL,
  VK_SHADER_STAGE_FRAGMENT_BIT,
  VK_SHADER_STAGE_VERTEX_BIT,
} from "../../../loader/gen/enums_core_gen.js";
import { chance, type Choices, pick, randomBytes } from "../choices.ts";
import { FEATURE } from "../bits.ts";
import { clearColor, clearDepth, drawDepth } from "../contents.ts";
import { hasDepth, hasStencil } from "../formats.ts";
import type { Model } from "../model.ts";
import type { Arguments } from "../writer.ts";
import { pulledVert } from "../../../wsi/gpu/shaders/shaders_gen.ts";
import { type Assembly, assemblyOf, callOf, type DrawKind } from "./calls.ts";
import { specialization } from "./compute.ts";
import { chooseVertexInput, triangles, type VertexInput } from "./vertex_input.ts";
import type { Pass } from "./pass.ts";
import { withDynamicState } from "./dynamic_state.ts";
import { renderingInfo, renderPassOf } from "./passes.ts";
import { moduleOf } from "./pipelines.ts";

const STAGES = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, PUSHED = 48;
/** Factors that make no colour larger. */
const BLEND_FACTORS = [
  VK_BLEND_FACTOR_ONE,
  VK_BLEND_FACTOR_ZERO,
  VK_BLEND_FACTOR_SRC_ALPHA,
  VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
  VK_BLEND_FACTOR_SRC_COLOR,
  VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR,
  VK_BLEND_FACTOR_CONSTANT_COLOR,
  VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR,
] as const;
const BLEND_OPS = [
  VK_BLEND_OP_ADD,
  VK_BLEND_OP_MIN,
  VK_BLEND_OP_MAX,
  VK_BLEND_OP_SUBTRACT,
  VK_BLEND_OP_REVERSE_SUBTRACT,
] as const;
/** Compare operations. Depths of draws are never equal to others. */
const COMPARES = [
  VK_COMPARE_OP_ALWAYS,
  VK_COMPARE_OP_LESS,
  VK_COMPARE_OP_GREATER,
  VK_COMPARE_OP_LESS_OR_EQUAL,
  VK_COMPARE_OP_GREATER_OR_EQUAL,
  VK_COMPARE_OP_NOT_EQUAL,
  VK_COMPARE_OP_NEVER,
] as const;

/** Creates what a draw needs; returns what writes its commands inside the pass. */
export function drawOnce(model: Model, pass: Pass, kind: DrawKind, subpass: number): () => void {
  const { choices, writer } = model, fed = chance(choices, 50) ? chooseVertexInput(model) : undefined;
  const isFed = fed !== undefined, pull = isFed ? undefined : rectangle(choices, pass);
  const depth = drawDepth(model.draws++), layout = layoutOf(model);
  const mesh = isFed ? triangles(choices, pass) : { vertices: new Float32Array(), count: 6 };
  const places = isFed ? model.memory.write(new Uint8Array(mesh.vertices.buffer)) : undefined;
  const assembly = assemblyOf(choices, kind, mesh.count, !isFed);
  const whole = pipelineInfo(model, pass, fed, depth !== undefined, layout, assembly);
  const { info, set } = withDynamicState(model, pass.isDynamic ? whole : { ...whole, subpass });
  const pipeline = writer.createPipeline("vkCreateGraphicsPipelines", info);
  const instances = isFed ? 1 : choices.integer(1, 3), tints = randomBytes(choices, 16);
  const given = fed && model.memory.write(fed.given);
  const call = callOf(model, kind, assembly, instances, !isFed);
  const push = pushed(pull ?? [0, 0, 0, 0], depth ?? 0, isFed ? 0 : 2 * choices.integer(0, 4) / pass.width, tints);
  const clear = chance(choices, 20) ? clearInside(model, pass) : undefined;
  return () => {
    writer.command("vkCmdBindPipeline", { pipelineBindPoint: VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline });
    set();
    if (places && given) {
      const both = [places, given];
      writer.command("vkCmdBindVertexBuffers", {
        firstBinding: 0,
        pBuffers: both.map(({ buffer }) => buffer),
        pOffsets: both.map(({ offset }) => offset),
      });
    }
    writer.command("vkCmdPushConstants", { layout, stageFlags: STAGES, offset: 0, pValues: push });
    call();
    if (clear) writer.command("vkCmdClearAttachments", clear);
  };
}

function layoutOf({ writer }: Model): string {
  const pPushConstantRanges = [{ stageFlags: STAGES, offset: 0, size: PUSHED }];
  return writer.create("VkPipelineLayout", { pSetLayouts: [], pPushConstantRanges });
}

/** Whole texels, so that no sample lies on an edge. */
function rectangle(choices: Choices, { width, height }: Pass): number[] {
  const span = (size: number) => {
    const length = choices.integer(1, size), start = choices.integer(0, size - length);
    return [start, start + length].map((at) => 2 * at / size - 1);
  };
  const [left, right] = span(width), [top, bottom] = span(height);
  return [left, top, right, bottom];
}

function pushed(
  corners: number[],
  depth: number,
  step: number,
  tint: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(PUSHED);
  bytes.set(new Uint8Array(Float32Array.from([...corners, depth, step]).buffer));
  bytes.set(tint, 32);
  return bytes;
}

/** Returns a clear of one attachment inside the pass. */
function clearInside(model: Model, { colors, depth, width, height }: Pass): Arguments {
  const { choices } = model, one = pick(choices, [...colors, ...depth ? [depth] : []]), isColor = one !== depth;
  const clearValue = isColor
    ? { color: clearColor(choices, one.image.format) }
    : { depthStencil: { depth: clearDepth(choices), stencil: choices.integer(0, 255) } };
  const w = choices.integer(1, width), h = choices.integer(1, height);
  const offset = { x: choices.integer(0, width - w), y: choices.integer(0, height - h) };
  return {
    pAttachments: [{
      aspectMask: one.image.aspects,
      colorAttachment: isColor ? colors.indexOf(one) : 0,
      clearValue,
    }],
    pRects: [{ rect: { offset, extent: { width: w, height: h } }, baseArrayLayer: 0, layerCount: 1 }],
  };
}

function pipelineInfo(
  model: Model,
  pass: Pass,
  fed: VertexInput | undefined,
  hasPlace: boolean,
  layout: string,
  { topology, restarts }: Assembly,
): Arguments {
  const { choices } = model, { width, height, samples } = pass, renderPass = renderPassOf(model, pass);
  const stage = (flag: number, name: string, code: () => Uint32Array<ArrayBuffer>, constants: number[]) => (
    { stage: flag, module: moduleOf(model, name, code), pName: "main", ...specialization(constants) }
  );
  const isFlipped = chance(choices, 15), constants = Array.from({ length: 4 }, () => choices.integer(0, 4) / 4);
  const viewport = {
    x: 0,
    y: isFlipped ? height : 0,
    width,
    height: isFlipped ? -height : height,
    minDepth: 0,
    maxDepth: 1,
  };
  return {
    ...pass.isDynamic && { pNext: [{ sType: "VkPipelineRenderingCreateInfo", ...renderingInfo(pass) }] },
    pStages: [
      fed
        ? stage(VK_SHADER_STAGE_VERTEX_BIT, fed.name, fed.code, fed.constants)
        : stage(VK_SHADER_STAGE_VERTEX_BIT, "pulled", pulledVert, []),
      stage(VK_SHADER_STAGE_FRAGMENT_BIT, pass.paint.name, pass.paint.code, [choices.integer(0, 2)]),
    ],
    pVertexInputState: fed?.input ?? {},
    pInputAssemblyState: { topology, primitiveRestartEnable: restarts },
    pViewportState: { pViewports: [viewport], pScissors: [scissor(choices, pass)] },
    pRasterizationState: {
      polygonMode: VK_POLYGON_MODE_FILL,
      cullMode: pick(choices, [0, 0, 0, 1, 2]),
      frontFace: choices.integer(0, 1),
      lineWidth: 1,
    },
    pMultisampleState: { rasterizationSamples: samples },
    ...pass.depth && { pDepthStencilState: depthState(choices, pass, hasPlace) },
    pColorBlendState: { pAttachments: blending(model, pass), blendConstants: constants },
    layout,
    ...renderPass ? { renderPass } : {},
  };
}

function scissor(choices: Choices, { width, height }: Pass): Arguments {
  if (chance(choices, 60)) return { offset: { x: 0, y: 0 }, extent: { width, height } };
  const x = choices.integer(0, width - 1), y = choices.integer(0, height - 1);
  return { offset: { x, y }, extent: { width: choices.integer(1, width - x), height: choices.integer(1, height - y) } };
}

function depthState(choices: Choices, { depth }: Pass, hasPlace: boolean): Arguments {
  const { format } = depth!.image, compareOp = pick(choices, COMPARES), isTested = hasPlace && hasDepth(format);
  const face = () => ({
    failOp: choices.integer(0, 7),
    passOp: choices.integer(0, 7),
    depthFailOp: choices.integer(0, 7),
    compareOp: choices.integer(0, 7),
    compareMask: choices.integer(0, 255),
    writeMask: choices.integer(0, 255),
    reference: choices.integer(0, 255),
  });
  return {
    depthTestEnable: isTested && chance(choices, 80),
    depthWriteEnable: isTested && chance(choices, 80),
    depthCompareOp: compareOp,
    depthBoundsTestEnable: false,
    stencilTestEnable: hasStencil(format) && chance(choices, 70),
    front: face(),
    back: face(),
    minDepthBounds: 0,
    maxDepthBounds: 1,
  };
}

/** Colours that are blended stay small, and errors with them. */
function blending(model: Model, { colors }: Pass): Arguments[] {
  const { choices } = model, canDiffer = model.has("independentBlend");
  const one = () => {
    const mask = chance(choices, 70) ? 15 : choices.integer(0, 15), factor = () => pick(choices, BLEND_FACTORS);
    const blendEnable = colors.every(({ image: { format } }) => (
      (format.numbers === "unorm" || format.numbers === "float") && model.can(format, FEATURE.blend)
    )) && chance(choices, 40);
    return {
      blendEnable,
      srcColorBlendFactor: factor(),
      dstColorBlendFactor: factor(),
      colorBlendOp: pick(choices, BLEND_OPS),
      srcAlphaBlendFactor: factor(),
      dstAlphaBlendFactor: factor(),
      alphaBlendOp: pick(choices, BLEND_OPS),
      colorWriteMask: mask,
    };
  };
  const first = colors.length > 0 ? one() : undefined;
  return colors.map((_, index) => index > 0 && canDiffer ? one() : first!);
}
