import {
  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
  VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
  VK_FILTER_NEAREST,
  VK_FORMAT_R32_UINT,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_SAMPLER_MIPMAP_MODE_NEAREST,
  VK_SHADER_STAGE_COMPUTE_BIT,
} from "../../../loader/gen/enums_core_gen.js";
import { chance, type Choices, pick } from "../choices.ts";
import { ACCESS, FEATURE, LAYOUT, STAGE } from "../bits.ts";
import { isInteger, isWide } from "../formats.ts";
import type { Model } from "../model.ts";
import type { Arguments } from "../writer.ts";
import { fetchIComp, fetchUComp, lookupComp, mixComp, storeComp, sumComp } from "../shaders/shaders_gen.ts";
import type { Action } from "./action.ts";
import { type Binding, bindSet, moduleOf, words } from "./pipelines.ts";

/** A multiple of every driver's alignment of uniform buffers, and the bytes of the shader's table. */
const OFFSETS = 256, TABLE = 64;
const READ = { stage: STAGE.compute, access: ACCESS.shaderRead };
const CHANGE = { stage: STAGE.compute, access: ACCESS.shaderRead | ACCESS.shaderWrite };

/** The needs of a dispatch besides its resources. */
interface Dispatch {
  readonly shader: string;
  readonly code: () => Uint32Array<ArrayBuffer>;
  readonly bindings: readonly Binding[];
  readonly push: readonly number[];
  readonly groups: readonly [x: number, y: number, z: number];
  readonly constants?: readonly number[];
  /** The offsets of the dynamic descriptors. */
  readonly offsets?: readonly number[];
}

/** Writes a dispatch, whose groups may come from a buffer. Returns whether they do. */
function dispatch(
  model: Model,
  { shader, code, bindings, push, groups, constants = [], offsets = [] }: Dispatch,
): boolean {
  const { writer } = model, set = bindSet(model, VK_SHADER_STAGE_COMPUTE_BIT, bindings, 16);
  const pipeline = writer.createPipeline("vkCreateComputePipelines", {
    stage: {
      stage: VK_SHADER_STAGE_COMPUTE_BIT,
      module: moduleOf(model, shader, code),
      pName: "main",
      ...specialization(constants),
    },
    layout: set.layout,
  });
  writer.command("vkCmdBindPipeline", { pipelineBindPoint: VK_PIPELINE_BIND_POINT_COMPUTE, pipeline });
  writer.command("vkCmdBindDescriptorSets", {
    pipelineBindPoint: VK_PIPELINE_BIND_POINT_COMPUTE,
    layout: set.layout,
    firstSet: 0,
    pDescriptorSets: [set.set],
    pDynamicOffsets: offsets,
  });
  const pValues = words([...push, 0, 0, 0, 0].slice(0, 4));
  writer.command("vkCmdPushConstants", {
    layout: set.layout,
    stageFlags: VK_SHADER_STAGE_COMPUTE_BIT,
    offset: 0,
    pValues,
  });
  const [groupCountX, groupCountY, groupCountZ] = groups;
  if (!chance(model.choices, 30)) {
    writer.command("vkCmdDispatch", { groupCountX, groupCountY, groupCountZ });
    return false;
  }
  writer.command("vkCmdDispatchIndirect", model.memory.write(words(groups)));
  return true;
}

/** Returns the member for specialisation constants 0, 1, … */
export function specialization(constants: readonly number[]): Arguments {
  if (constants.length === 0) return {};
  const pMapEntries = constants.map((_, constantID) => ({ constantID, offset: 4 * constantID, size: 4 }));
  return { pSpecializationInfo: { pMapEntries, pData: words(constants) } };
}

function kind(isIndirect: boolean): string {
  return isIndirect ? "dispatchIndirect" : "dispatch";
}

function wordsPushed(choices: Choices, count: number): number[] {
  return [count, choices.integer(0, 0xffff_ffff), choices.integer(1, 31)];
}

/** Mixes two buffers of an array of descriptors into a third. */
export const mix: Action = (model) => {
  const { choices } = model, to = model.buffer(64), others = [0, 1].map(() => model.buffer(64, (each) => each !== to));
  const count = Math.min(...[to, ...others].map(({ size }) => size)) / 4, size = pick(choices, [1, 4, 16, 32]);
  model.access(...[...new Set(others)].map((buffer) => ({ buffer, ...READ })), { buffer: to, ...CHANGE });
  const isIndirect = dispatch(model, {
    shader: "mix",
    code: mixComp,
    bindings: [{ type: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, infos: others.map(({ name }) => whole(name)) }, {
      type: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      infos: [whole(to.name)],
    }],
    push: wordsPushed(choices, count),
    groups: [Math.ceil(count / size), 1, 1],
    constants: [size, choices.integer(0, 0xffff), choices.integer(0, 5)],
  });
  to.writer = model.action;
  return { kind: kind(isIndirect), format: "mix" };
};

/** Adds the words of a buffer with shared memory and atomics. */
export const sum: Action = (model) => {
  const from = model.buffer(64), to = model.buffer(64, (each) => each !== from), count = from.size / 4;
  model.access({ buffer: from, ...READ }, { buffer: to, ...CHANGE });
  const isIndirect = dispatch(model, {
    shader: "sum",
    code: sumComp,
    bindings: [from, to].map(({ name }) => ({ type: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, infos: [whole(name)] })),
    push: wordsPushed(model.choices, count),
    groups: [Math.ceil(count / 16), 1, 1],
  });
  to.writer = model.action;
  return { kind: kind(isIndirect), format: "sum" };
};

/** Looks up words with uniform buffers at dynamic offsets, and a texel buffer. */
export const lookup: Action = (model) => {
  const { choices } = model, tables = model.buffer(2 * OFFSETS + TABLE), from = model.buffer(64);
  const to = model.buffer(64, (each) => each !== tables && each !== from), count = Math.min(from.size, to.size) / 4;
  const most = Math.floor((tables.size - TABLE) / OFFSETS), offset = () => OFFSETS * choices.integer(0, most);
  const uniform = { stage: STAGE.compute, access: ACCESS.uniformRead };
  model.access({ buffer: tables, ...uniform }, { buffer: from, ...READ }, { buffer: to, ...CHANGE });
  const texels = model.writer.create("VkBufferView", {
    buffer: from.name,
    format: VK_FORMAT_R32_UINT,
    offset: 0,
    range: WHOLE,
  });
  const isIndirect = dispatch(model, {
    shader: "lookup",
    code: lookupComp,
    bindings: [
      {
        type: VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
        infos: [0, 1].map(() => ({ buffer: tables.name, offset: 0, range: TABLE })),
      },
      { type: VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, infos: [texels] },
      { type: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, infos: [whole(to.name)] },
    ],
    push: wordsPushed(choices, count),
    groups: [Math.ceil(count / 16), 1, 1],
    offsets: [offset(), offset()],
  });
  to.writer = model.action;
  return { kind: kind(isIndirect), format: "lookup" };
};

/** Changes the texels of a storage image. */
export const store: Action = (model) => {
  const formats = model.formats.filter(({ value }) => value === 98 && model.can({ value } as never, 2));
  const image = model.image(formats, ({ usage }) => (usage & 8) !== 0, { type: 1, samples: 1 });
  if (!image) return undefined;
  const mip = model.choices.integer(0, image.shape.mips - 1), layer = model.choices.integer(0, image.shape.layers - 1);
  const { width, height } = image.extent(mip);
  model.access({ image, mip, layer, ...CHANGE, layout: LAYOUT.general });
  const imageView = viewOf(model, image.name, 98, 1, { baseMipLevel: mip, baseArrayLayer: layer });
  const isIndirect = dispatch(model, {
    shader: "store",
    code: storeComp,
    bindings: [{ type: VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, infos: [{ imageView, imageLayout: LAYOUT.general }] }],
    push: wordsPushed(model.choices, 0),
    groups: [Math.ceil(width / 4), Math.ceil(height / 4), 1],
  });
  model.wrote(image);
  return { kind: kind(isIndirect), format: "store" };
};

/** Fetches texels of an image of integers into a buffer. */
export const fetch: Action = (model) => {
  const formats = model.formats.filter((format) =>
    isInteger(format) && !isWide(format) && model.can(format, FEATURE.sampled)
  );
  const image = model.image(formats, ({ usage }) => (usage & 4) !== 0, { type: 1, samples: 1 });
  if (!image) return undefined;
  const { mips, layers } = image.shape, mip = model.choices.integer(0, mips - 1);
  const layer = model.choices.integer(0, layers - 1), { width, height } = image.extent(mip);
  const to = model.buffer(16 * width * height);
  model.access({ image, ...READ, layout: LAYOUT.shaderRead }, { buffer: to, ...CHANGE });
  const imageView = viewOf(model, image.name, image.format.value, 5, { levelCount: mips, layerCount: layers });
  const isUnsigned = image.format.numbers === "uint";
  const isIndirect = dispatch(model, {
    shader: isUnsigned ? "fetch_u" : "fetch_i",
    code: isUnsigned ? fetchUComp : fetchIComp,
    bindings: [{
      type: VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
      infos: [{ sampler: samplerOf(model), imageView, imageLayout: LAYOUT.shaderRead }],
    }, { type: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, infos: [whole(to.name)] }],
    push: [mip, layer, width, height],
    groups: [Math.ceil(width / 4), Math.ceil(height / 4), 1],
  });
  to.writer = model.action;
  return { kind: kind(isIndirect), format: `fetch ${image.format.name}` };
};

/** VK_WHOLE_SIZE. */
const WHOLE = "18446744073709551615";

function whole(buffer: string): Arguments {
  return { buffer, offset: 0, range: WHOLE };
}

function samplerOf({ writer }: Model): string {
  return writer.create("VkSampler", {
    magFilter: VK_FILTER_NEAREST,
    minFilter: VK_FILTER_NEAREST,
    mipmapMode: VK_SAMPLER_MIPMAP_MODE_NEAREST,
    maxLod: 16,
  });
}

/** Creates a view of colour. */
export function viewOf(
  { writer }: Model,
  image: string,
  format: number,
  viewType: number,
  part: Arguments,
  aspectMask = 1,
): string {
  const range = { aspectMask, baseMipLevel: 0, levelCount: 1, baseArrayLayer: 0, layerCount: 1, ...part };
  return writer.create("VkImageView", { image, viewType, format, subresourceRange: range });
}
