/**
 * A scene of textures: levels that are made from each other, an array of textures and one of samplers, constants that pipelines set, uniforms at
 * dynamic offsets, and draws that are blended.
 *
 * @module
 */
import * as vk from "../../../../../loader/vk.ts";
import type {
  VkCommandBuffer,
  VkImage,
  VkPipelineColorBlendAttachmentState,
  VkPipelineLayout,
  VkRenderPass,
} from "../../../../../loader/types.ts";
import { compileShader } from "../../../../support/compile_shader.ts";
import { COLOR, SIDE, type Stage } from "./stage.ts";

/** Levels of the first texture. */
const LEVELS = 4;
/** Bytes between the uniforms of two draws: a multiple of what every driver wants. */
const APART = 256;

const UNIFORMS = `layout(binding = 2) uniform Draw { vec4 rect; vec4 place; vec4 tint; } own;`;
const VERTEX = `#version 450
${UNIFORMS}
layout(location = 0) out vec2 at;
void main() {
  vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
  gl_Position = vec4(mix(own.rect.xy, own.rect.zw, corner), 0.5, 1.0);
  at = own.place.xy + own.place.zw * corner;
}`;
/** Not every driver takes numbers in arrays of textures that are not constant. */
const FRAGMENT = `#version 450
layout(constant_id = 0) const uint PICTURE = 0;
layout(constant_id = 1) const uint HOW = 0;
layout(constant_id = 2) const uint IS_CUT = 0;
layout(binding = 0) uniform texture2D pictures[2];
layout(binding = 1) uniform sampler how[3];
${UNIFORMS}
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 made;
void main() {
  made = texture(sampler2D(pictures[PICTURE], how[HOW]), at) * own.tint;
  if (IS_CUT == 1u && made.r > 0.75) discard;
}`;

/** A draw: its rectangle, the texture coordinates of its corner and their extent, its numbers, and its tint. */
interface Drawn {
  readonly rect: readonly number[];
  readonly place: readonly number[];
  /** The numbers of the texture and of the sampler, and whether bright texels are left out. */
  readonly which: readonly [texture: number, sampler: number, isCut: number];
  readonly tint: readonly number[];
  readonly blend: keyof typeof BLENDS;
}
const DRAWS: readonly Drawn[] = [
  { rect: [-1, -1, 0.5, 0.75], place: [0, 0, 1, 1], which: [0, 0, 0], tint: [1, 1, 1, 1], blend: "over" },
  { rect: [-0.5, -0.5, 1, 1], place: [-0.5, -0.5, 6, 6], which: [0, 1, 0], tint: [1, 0.5, 1, 0.5], blend: "over" },
  { rect: [-0.75, 0, 0.75, 1], place: [0.25, 0, 3, 2], which: [1, 2, 1], tint: [0.5, 1, 1, 1], blend: "add" },
  { rect: [0, -1, 1, 0.25], place: [0, 0, 1.5, 12], which: [0, 2, 0], tint: [1, 1, 1, 1], blend: "least" },
  { rect: [-1, 0.25, 1, 0.75], place: [0, 0, 2, 0.5], which: [1, 1, 0], tint: [1, 1, 1, 0.75], blend: "green" },
];

const factors = (from: number, to: number, op: number = vk.VK_BLEND_OP_ADD) => ({
  blendEnable: true,
  srcColorBlendFactor: from,
  dstColorBlendFactor: to,
  colorBlendOp: op,
  srcAlphaBlendFactor: vk.VK_BLEND_FACTOR_ONE,
  dstAlphaBlendFactor: vk.VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
  alphaBlendOp: vk.VK_BLEND_OP_ADD,
  colorWriteMask: 15,
});
const { VK_BLEND_FACTOR_ONE: ONE, VK_BLEND_FACTOR_SRC_ALPHA: ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA: REST } = vk;
const BLENDS = {
  over: factors(ALPHA, REST),
  add: factors(ONE, ONE),
  least: factors(ONE, ONE, vk.VK_BLEND_OP_MIN),
  /** Green alone is written. */
  green: { ...factors(ALPHA, REST), colorWriteMask: vk.VK_COLOR_COMPONENT_G_BIT },
} satisfies Record<string, object>;

/** Three ways to sample: linear between levels, nearest beyond a border, and mirrored from the second level on. */
function samplersOf({ gpu }: Stage) {
  const { VK_FILTER_LINEAR: LINEAR, VK_FILTER_NEAREST: NEAREST } = vk;
  const kinds = [
    [LINEAR, vk.VK_SAMPLER_MIPMAP_MODE_LINEAR, vk.VK_SAMPLER_ADDRESS_MODE_REPEAT, 0],
    [NEAREST, vk.VK_SAMPLER_MIPMAP_MODE_NEAREST, vk.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, 0],
    [LINEAR, vk.VK_SAMPLER_MIPMAP_MODE_NEAREST, vk.VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, 1],
  ] as const;
  return kinds.map(([filter, mipmapMode, mode, minLod]) =>
    gpu.ownedDevice.vkCreateSampler({
      magFilter: filter,
      minFilter: filter,
      mipmapMode,
      addressModeU: mode,
      addressModeV: mode,
      addressModeW: mode,
      minLod,
      maxLod: LEVELS,
      borderColor: vk.VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE,
    })
  );
}

/** The uniforms of all draws, {@linkcode APART} from each other. */
function uniforms(): Uint8Array {
  const bytes = new Uint8Array(APART * DRAWS.length);
  for (const [at, { rect, place, tint }] of DRAWS.entries()) {
    new Float32Array(bytes.buffer, APART * at, 12).set([...rect, ...place, ...tint]);
  }
  return bytes;
}

/** The descriptors of all draws. */
function bindingsOf(stage: Stage, pictures: readonly VkImage[]) {
  const { gpu } = stage, imageLayout = vk.VK_IMAGE_LAYOUT_GENERAL;
  const { set, layout } = gpu.descriptorSet([
    {
      descriptorType: vk.VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
      pImageInfo: pictures.map((each) => ({ imageView: gpu.view(each), imageLayout })),
    },
    {
      descriptorType: vk.VK_DESCRIPTOR_TYPE_SAMPLER,
      pImageInfo: samplersOf(stage).map((sampler) => ({ sampler })),
    },
    {
      descriptorType: vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
      pBufferInfo: [{ buffer: gpu.buffer(uniforms()).buffer, range: BigInt(APART) }],
    },
  ]);
  return { set, layout: gpu.ownedDevice.vkCreatePipelineLayout({ pSetLayouts: [layout] }) };
}

/** Writes the whole first level of a texture. */
function upload(stage: Stage, image: VkImage, texel: (at: number) => number): void {
  const words = Uint32Array.from({ length: SIDE * SIDE }, (_, at) => texel(at)), { buffer } = stage.gpu.buffer(words);
  stage.step((commands) =>
    commands.vkCmdCopyBufferToImage(buffer, image, vk.VK_IMAGE_LAYOUT_GENERAL, [{
      imageSubresource: { aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT, layerCount: 1 },
      imageExtent: { width: SIDE, height: SIDE, depth: 1 },
    }])
  );
}

/** Makes a level of an image from one of an image, smaller or larger. */
function blit(stage: Stage, [from, fromLevel]: readonly [VkImage, number], [to, toLevel]: readonly [VkImage, number]) {
  const GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL,
    part = (mipLevel: number) => ({
      aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT,
      mipLevel,
      layerCount: 1,
    });
  const corners = (level: number) => [{ x: 0, y: 0, z: 0 }, { x: SIDE >> level, y: SIDE >> level, z: 1 }] as const;
  stage.step((commands) =>
    commands.vkCmdBlitImage(from, GENERAL, to, GENERAL, [{
      srcSubresource: part(fromLevel),
      srcOffsets: corners(fromLevel),
      dstSubresource: part(toLevel),
      dstOffsets: corners(toLevel),
    }], vk.VK_FILTER_LINEAR)
  );
}

/** A pipeline for each draw. */
function pipelinesOf({ gpu }: Stage, renderPass: VkRenderPass, layout: VkPipelineLayout) {
  const [vertex, fragment] = ([[VERTEX, "vert"], [FRAGMENT, "frag"]] as const).map(([glsl, stage]) =>
    gpu.ownedDevice.vkCreateShaderModule({ pCode: compileShader(glsl, "vulkan1.0", stage) as never })
  );
  return DRAWS.map(({ which, blend }) =>
    gpu.graphicsPipeline({
      pStages: [
        { stage: vk.VK_SHADER_STAGE_VERTEX_BIT, module: vertex, pName: "main" },
        {
          stage: vk.VK_SHADER_STAGE_FRAGMENT_BIT,
          module: fragment,
          pName: "main",
          pSpecializationInfo: {
            pMapEntries: which.map((_, at) => ({ constantID: at, offset: 4 * at, size: 4 })),
            pData: new Uint8Array(new Uint32Array(which).buffer),
          },
        },
      ],
      layout,
      pInputAssemblyState: { topology: vk.VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP },
      pColorBlendState: { pAttachments: [BLENDS[blend] as VkPipelineColorBlendAttachmentState] },
      renderPass,
    })
  );
}

/** Textures are uploaded, their levels made, and both drawn; one level is made from what was drawn, and all drawn again. */
export function textures(stage: Stage): void {
  const levels = stage.image(COLOR, 1, LEVELS), flat = stage.image(COLOR), target = stage.image(COLOR);
  upload(stage, levels, (at) => Math.imul(at + 1, 0x9e3779b1) >>> 0);
  upload(stage, flat, (at) => ((at % SIDE + (at >> 4)) & 1 ? 0xc04080ff : 0x80ff2010) >>> 0);
  for (let level = 1; level < LEVELS; level++) blit(stage, [levels, level - 1], [levels, level]);
  const bound = bindingsOf(stage, [levels, flat]);
  const first = stage.pass([target], vk.VK_ATTACHMENT_LOAD_OP_CLEAR);
  const pipelines = pipelinesOf(stage, first.renderPass, bound.layout);
  const draw = (at: number) => (commands: VkCommandBuffer) => {
    commands.vkCmdBindPipeline(vk.VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[at]);
    commands.vkCmdBindDescriptorSets(vk.VK_PIPELINE_BIND_POINT_GRAPHICS, bound.layout, 0, [bound.set], [APART * at]);
    commands.vkCmdDraw(4, 1, 0, 0);
  };
  for (const at of DRAWS.keys()) stage.step(draw(at));
  stage.endPass();
  blit(stage, [target, 0], [levels, 1]);
  stage.pass([target], vk.VK_ATTACHMENT_LOAD_OP_LOAD);
  for (const at of [3, 2]) stage.step(draw(at));
  stage.endPass();
}
