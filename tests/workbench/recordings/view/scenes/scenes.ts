/**
 * Scenes of what programs do: a depth prepass, indirect draws, a chain of computations, resolves and secondary command
 * buffers.
 *
 * @module
 */
import * as vk from "../../../../../loader/vk.ts";
import type { VkCommandBuffer, VkImage } from "../../../../../loader/types.ts";
import { compileShader } from "../../../../support/compile_shader.ts";
import { COLOR, DEPTH, inheritedPass, SIDE, type Stage } from "./stage.ts";

/** A rectangle by the number of the vertex: the first instance says which. */
const VERTEX = `#version 450
layout(location = 0) out vec4 colour;
const vec4 RECTS[4] = vec4[](vec4(-1.0, -1.0, 0.5, 0.5), vec4(-0.5, -0.75, 1.0, 0.25), vec4(-0.25, -0.25, 0.75, 1.0), vec4(-1.0, 0.0, 1.0, 0.75));
const float DEPTHS[4] = float[](0.5, 0.25, 0.75, 0.375);
void main() {
  int which = gl_InstanceIndex & 3, corner = gl_VertexIndex & 3;
  vec4 rect = RECTS[which];
  gl_Position = vec4(mix(rect.xy, rect.zw, vec2(corner & 1, corner >> 1)), DEPTHS[which], 1.0);
  colour = vec4(float(which + 1) / 4.0, float(gl_VertexIndex & 1), DEPTHS[which], 1.0);
}`;
const FRAGMENT = `#version 450
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 made;
void main() { made = colour; }`;

interface Kind {
  readonly samples?: number;
  readonly isDepthAlone?: boolean;
  readonly compare?: number;
  readonly writes?: boolean;
}

function pipelineOf({ gpu }: Stage, renderPass: bigint, kind: Kind) {
  const [vertex, fragment] = [compileShader(VERTEX, "vulkan1.0", "vert"), compileShader(FRAGMENT, "vulkan1.0", "frag")];
  const module = gpu.ownedDevice.vkCreateShaderModule({ pCode: vertex as never });
  return gpu.graphicsPipeline({
    ...kind.isDepthAlone
      ? { pStages: [{ stage: vk.VK_SHADER_STAGE_VERTEX_BIT, module, pName: "main" }] }
      : { vertex, fragment },
    pInputAssemblyState: { topology: vk.VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP },
    pMultisampleState: { rasterizationSamples: (kind.samples ?? 1) as never },
    ...kind.compare !== undefined && {
      pDepthStencilState: {
        depthTestEnable: true,
        depthWriteEnable: kind.writes ?? true,
        depthCompareOp: kind.compare as never,
      },
    },
    renderPass: renderPass as never,
  });
}

/** Draws, each with one instance of another number; the pipeline is bound by the first one. */
function draws(stage: Stage, pipeline: bigint, instances: readonly number[], role?: "secondary"): void {
  for (const [at, instance] of instances.entries()) {
    stage.step((commands) => {
      if (at === 0) commands.vkCmdBindPipeline(vk.VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline as never);
      commands.vkCmdDraw(4, 1, 0, instance);
    }, role);
  }
}

/** Depth alone first, then colours where the depth is that of the first pass. */
function depthPrepass(stage: Stage): void {
  const depth = stage.image(DEPTH), color = stage.image(COLOR);
  const first = stage.pass([depth], vk.VK_ATTACHMENT_LOAD_OP_CLEAR);
  draws(stage, pipelineOf(stage, first.renderPass, { isDepthAlone: true, compare: vk.VK_COMPARE_OP_LESS }), [
    0,
    1,
    2,
    3,
  ]);
  stage.endPass();
  clear(stage, color, [0, 0, 0, 1]);
  const second = stage.pass([color, depth], vk.VK_ATTACHMENT_LOAD_OP_LOAD);
  draws(stage, pipelineOf(stage, second.renderPass, { compare: vk.VK_COMPARE_OP_EQUAL, writes: false }), [3, 2, 1, 0]);
  stage.endPass();
}

/** The indirect draws whose number stands in a buffer. */
const COUNTED: readonly number[] = [1, 3, 4];

/** Draws whose numbers, and how many there are, stand in buffers; one of these is written by a shader just before. */
function indirectDraws(stage: Stage): void {
  const { gpu } = stage, color = stage.image(COLOR), depth = stage.image(DEPTH);
  const plain = gpu.buffer(new Uint32Array([4, 1, 0, 0, 4, 1, 4, 2, 4, 2, 0, 1])),
    indices = gpu.buffer(new Uint16Array([0, 1, 2, 3, 3, 2, 1, 0]));
  const indexed = stage.buffer(new Uint32Array(32)), counts = stage.buffer(new Uint32Array(20));
  stage.dispatch(
    `#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Commands { uint words[]; } commands;
layout(binding = 1) buffer Counts { uint words[]; } counts;
void main() {
  uint made[10] = uint[](4u, 1u, 0u, 0u, 3u, 4u, 1u, 4u, 4u, 1u);
  for (uint at = 0u; at < 10u; at++) commands.words[at] = made[at];
  counts.words[0] = 2u; counts.words[1] = 1u; counts.words[2] = 0u;
}`,
    [indexed, counts],
    1,
  );
  const pass = stage.pass([color, depth], vk.VK_ATTACHMENT_LOAD_OP_CLEAR);
  const pipeline = pipelineOf(stage, pass.renderPass, { compare: vk.VK_COMPARE_OP_LESS });
  const all: ((commands: VkCommandBuffer) => void)[] = [
    (commands) => {
      commands.vkCmdBindPipeline(vk.VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      commands.vkCmdBindIndexBuffer(indices.buffer, 0n, vk.VK_INDEX_TYPE_UINT16);
      commands.vkCmdDrawIndirect(plain.buffer, 0n, 2, 16);
    },
    (commands) => commands.vkCmdDrawIndirectCount(plain.buffer, 16n, counts.buffer, 4n, 2, 16),
    (commands) => commands.vkCmdDrawIndexedIndirect(indexed.buffer, 0n, 1, 20),
    (commands) => commands.vkCmdDrawIndexedIndirectCount(indexed.buffer, 0n, counts.buffer, 8n, 2, 20),
    (commands) => commands.vkCmdDrawIndexedIndirectCount(indexed.buffer, 0n, counts.buffer, 0n, 5, 20),
  ];
  for (const [at, record] of all.entries()) if (stage.canCount || !COUNTED.includes(at)) stage.step(record);
  stage.endPass();
}

/** From an image to a buffer, on to another one, and back to an image. */
function computeChain(stage: Stage): void {
  const [one, other] = [stage.image(COLOR), stage.image(COLOR)],
    first = stage.buffer(4 * SIDE * SIDE),
    second = stage.buffer(4 * SIDE * SIDE + 64);
  const HEAD = `#version 450
layout(local_size_x = 4, local_size_y = 4) in;
ivec2 at = ivec2(gl_GlobalInvocationID.xy); uint place = gl_GlobalInvocationID.y * ${SIDE}u + gl_GlobalInvocationID.x;
`;
  clear(stage, one, [0.25, 0.5, 0.75, 1]);
  stage.dispatch(
    `${HEAD}layout(binding = 0, rgba8) uniform image2D picture;
void main() { vec4 was = imageLoad(picture, at); imageStore(picture, at, was + vec4(vec2(at) / 32.0, 0.0, 0.0)); }`,
    [one],
  );
  stage.dispatch(
    `${HEAD}layout(binding = 0, rgba8) uniform readonly image2D picture; layout(binding = 1) buffer Words { uint words[]; } to;
void main() { to.words[place] = packUnorm4x8(imageLoad(picture, at)) + place; }`,
    [one, first],
  );
  stage.dispatch(
    `${HEAD}layout(binding = 0) buffer From { uint words[]; } from; layout(binding = 1) buffer Words { uint words[]; } to;
void main() { to.words[place] = from.words[${SIDE * SIDE - 1}u - place] ^ 0xffu; }`,
    [first, second],
  );
  stage.step((commands) => commands.vkCmdCopyBuffer(second.buffer, first.buffer, [{ size: 128n }]));
  stage.dispatch(
    `${HEAD}layout(binding = 0) buffer From { uint words[]; } from; layout(binding = 1, rgba8) uniform writeonly image2D picture;
void main() { imageStore(picture, at, unpackUnorm4x8(from.words[place])); }`,
    [second, other],
  );
  stage.step((commands) => commands.vkCmdFillBuffer(second.buffer, 64n, 256n, 0x01020304));
  const layers = { aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT, layerCount: 1 }, GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL;
  stage.step((commands) =>
    commands.vkCmdCopyImage(other, GENERAL, one, GENERAL, [{
      srcSubresource: layers,
      dstSubresource: layers,
      dstOffset: { x: 4, y: 8, z: 0 },
      extent: { width: 8, height: 6, depth: 1 },
    }])
  );
  stage.step((commands) =>
    commands.vkCmdCopyBufferToImage(second.buffer, other, GENERAL, [{
      imageSubresource: layers,
      imageOffset: { x: 2, y: 2, z: 0 },
      imageExtent: { width: 5, height: 3, depth: 1 },
    }])
  );
}

/** Four samples, drawn by a secondary command buffer, resolved by a pass and by a command, and made larger. */
function resolves(stage: Stage): void {
  const samples = stage.image(COLOR, 4), resolved = stage.image(COLOR), large = stage.image(COLOR);
  clear(stage, large, [1, 0, 0, 1]);
  const pass = stage.pass([samples], vk.VK_ATTACHMENT_LOAD_OP_CLEAR, resolved, true);
  inheritedPass.set(stage.gpu, pass.renderPass);
  draws(stage, pipelineOf(stage, pass.renderPass, { samples: 4 }), [0, 1, 2], "secondary");
  stage.endPass();
  const layers = { aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT, layerCount: 1 }, GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL;
  stage.step((commands) =>
    commands.vkCmdResolveImage(samples, GENERAL, large, GENERAL, [{
      srcSubresource: layers,
      dstSubresource: layers,
      srcOffset: { x: 4, y: 4, z: 0 },
      dstOffset: { x: 0, y: 2, z: 0 },
      extent: { width: 8, height: 8, depth: 1 },
    }])
  );
  const corner = (at: number) => ({ x: at, y: at, z: at === 0 ? 0 : 1 });
  stage.step((commands) =>
    commands.vkCmdBlitImage(resolved, GENERAL, large, GENERAL, [{
      srcSubresource: layers,
      srcOffsets: [corner(0), corner(8)],
      dstSubresource: layers,
      dstOffsets: [{ x: 15, y: 0, z: 0 }, { x: 3, y: 15, z: 1 }],
    }], vk.VK_FILTER_NEAREST)
  );
}

function clear(stage: Stage, image: VkImage, float32: readonly number[]): void {
  const range = { aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT, levelCount: 1, layerCount: 1 };
  stage.step((commands) =>
    commands.vkCmdClearColorImage(image, vk.VK_IMAGE_LAYOUT_GENERAL, { float32: float32 as never }, [range])
  );
}

/** The scenes by name. */
export const SCENES: Readonly<Record<string, (stage: Stage) => void>> = {
  "a depth prepass": depthPrepass,
  "indirect draws, several and counted": indirectDraws,
  "a chain of computations": computeChain,
  "resolves of a secondary command buffer": resolves,
};
