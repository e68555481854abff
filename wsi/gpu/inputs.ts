import { list, type OptionRules } from "../../ffi/check_options.ts";
import {
  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
  VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
  VK_DESCRIPTOR_TYPE_SAMPLER,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
  VK_SHADER_STAGE_ALL,
  VK_WHOLE_SIZE,
} from "../../loader/gen/enums_core_gen.js";
import type {
  VkCommandBuffer,
  VkDescriptorSet,
  VkDescriptorSetLayout,
  VkDescriptorSetLayoutBinding,
  VkDescriptorType,
  VkImageLayout,
  VkPipelineBindPoint,
  VkPipelineLayout,
  VkSampler,
  VkWriteDescriptorSet,
} from "../../loader/types.ts";
import { type Bench, ownedDevice } from "./bench.ts";
import type { GpuBuffer } from "./buffer.ts";
import { changeLayout, type GpuImage } from "./image.ts";
import { type GpuSampler, makeSampler } from "./sampler.ts";
import type { Shader } from "./shader.ts";
import type { ShaderBinding } from "./spirv.ts";

/** The object at a binding of a shader: a buffer, an image, a sampler, or an image with its sampler in a list. */
export type Bindable = GpuBuffer | GpuImage | GpuSampler | readonly [image: GpuImage, sampler: GpuSampler];

/** The inputs and outputs of shaders. */
export interface ShaderInputs {
  /**
   * The resources at the bindings 0, 1, … of set 0. The shader's code says which kind of descriptor each is. A place
   * for a sampler may be left `undefined`: the sampler is then a linear one that repeats the image's edge. The same
   * sampler is used for an image that has none where the shader wants both.
   */
  readonly bindings?: readonly (Bindable | undefined)[];
  /** Push constants from offset 0. */
  readonly push?: ArrayBufferView;
}

/** The options for inputs of shaders and their valid values. */
export const INPUT_RULES: OptionRules<ShaderInputs> = {
  bindings: list("a list of what buffer(), image() and sampler() return", bindable),
  push: (value) => ArrayBuffer.isView(value) ? undefined : "a typed array",
};

function bindable(value: unknown): string | undefined {
  const fits = value === undefined || typeof value === "object" && value !== null;
  return fits ? undefined : "what buffer(), image() or sampler() returns";
}

/** The layout of a pipeline, and the objects that are bound. */
export interface BoundInputs {
  /** The pipeline's layout. */
  readonly layout: VkPipelineLayout;
  /** The pipeline's descriptor sets: one, or none. */
  readonly sets: VkDescriptorSet[];
  /** The required layout of each image. */
  readonly images: ReadonlyMap<GpuImage, VkImageLayout>;
}

/** A descriptor and the object at its binding. */
interface Bound {
  readonly used: ShaderBinding;
  readonly given: Parts;
}

/** The parts of a given object. */
type Parts = Partial<Pick<GpuBuffer, "buffer"> & GpuSampler> & { readonly image?: GpuImage };

function partsOf(given: Bindable): Parts {
  if (Array.isArray(given)) return { image: given[0], sampler: given[1]?.sampler };
  return "view" in given ? { image: given } : given as Parts;
}

/** A kind of descriptor: its name, the objects that fit, and the layout of its image. */
interface Kind {
  readonly name: string;
  readonly takes: "buffer" | "image" | "sampler";
  readonly layout?: VkImageLayout;
}
const READ = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
const KINDS: ReadonlyMap<VkDescriptorType, Kind> = new Map<VkDescriptorType, Kind>([
  [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, { name: "a storage buffer", takes: "buffer" }],
  [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, { name: "a uniform buffer", takes: "buffer" }],
  [VK_DESCRIPTOR_TYPE_SAMPLER, { name: "a sampler", takes: "sampler" }],
  [VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, { name: "a sampled image", takes: "image", layout: READ }],
  [VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, { name: "an image with a sampler", takes: "image", layout: READ }],
  [VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, { name: "a storage image", takes: "image", layout: VK_IMAGE_LAYOUT_GENERAL }],
]);

/**
 * Makes the layout of a pipeline and the set of its bindings.
 *
 * @throws {TypeError} when a shader uses a binding that is not given, or that is of another kind.
 */
export function bindInputs(
  bench: Bench,
  shaders: readonly Shader[],
  { bindings = [], push }: ShaderInputs,
): BoundInputs {
  const { device, owned } = bench, bound = boundOf(bench, shaders, bindings);
  const stageFlags = shaders.reduce((flags, { flag }) => flags | flag, 0);
  const made = bound.length > 0
    ? makeDescriptors(bench, bound.map((each) => descriptorOf(bench, each, stageFlags)))
    : undefined;
  const layout = device.vkCreatePipelineLayout({
    pSetLayouts: made ? [made.layout] : [],
    pPushConstantRanges: push ? [{ stageFlags, size: push.byteLength }] : [],
  });
  owned.defer(() => device.vkDestroyPipelineLayout(layout));
  return { layout, sets: made ? [made.set] : [], images: imagesOf(bound) };
}

/** The bindings that the shaders use, each once, with their objects. */
function boundOf(bench: Bench, shaders: readonly Shader[], bindings: NonNullable<ShaderInputs["bindings"]>): Bound[] {
  const byBinding = new Map<number, Bound>();
  for (const shader of shaders) {
    for (const used of shader.bindings) {
      const own = bindings[used.binding], given = own ? partsOf(own) : defaultFor(bench, used);
      check(shader, used, given);
      byBinding.set(used.binding, { used, given });
    }
  }
  return [...byBinding.values()];
}

function defaultFor(bench: Bench, { type }: ShaderBinding): Parts {
  return type === VK_DESCRIPTOR_TYPE_SAMPLER ? makeSampler(bench) : {};
}

function check({ stage, entryPoint }: Shader, { set, binding, type, count }: ShaderBinding, given: Parts): void {
  const wrong = (what: string): never => {
    throw new TypeError(`Cannot run the ${stage} shader "${entryPoint}": ${what}`);
  };
  const kind = KINDS.get(type), place = `binding ${binding} of set ${set}`;
  if (set !== 0) wrong(`it uses ${place}, and only set 0 is bound here; record the commands in submit() instead`);
  if (!kind || count !== 1) {
    wrong(`${place} is of a kind that is not bound here; record the commands in submit() instead`);
  }
  const { name, takes } = kind!, found = nameOf(given);
  if (!given[takes]) wrong(`it uses ${place}, ${name}, and index ${binding} of bindings has ${found}`);
}

function nameOf({ buffer, image, sampler }: Parts): string {
  return buffer ? "a buffer" : image ? "an image" : sampler ? "a sampler" : "nothing of the kind";
}

function descriptorOf(bench: Bench, { used: { binding, type }, given }: Bound, stageFlags: number): DescriptorInput {
  const descriptor = { binding, descriptorType: type, stageFlags };
  if (KINDS.get(type)!.takes === "buffer") return { ...descriptor, pBufferInfo: [{ buffer: given.buffer }] };
  const imageView = given.image?.view, imageLayout = KINDS.get(type)!.layout;
  return { ...descriptor, pImageInfo: [{ sampler: samplerFor(bench, type, given), imageView, imageLayout }] };
}

function samplerFor(bench: Bench, type: VkDescriptorType, { sampler }: Parts): VkSampler | undefined {
  return sampler ?? (type === VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER ? makeSampler(bench).sampler : undefined);
}

function imagesOf(bound: readonly Bound[]): Map<GpuImage, VkImageLayout> {
  const images = new Map<GpuImage, VkImageLayout>();
  for (const { used, given: { image } } of bound) if (image) images.set(image, KINDS.get(used.type)!.layout!);
  return images;
}

/** Records changes of the images to the layouts in which the shaders use them. No render pass may be open. */
export function recordLayouts(commands: VkCommandBuffer, { images }: BoundInputs): void {
  for (const [image, layout] of images) if (image.layout !== layout) changeLayout(commands, image, layout);
}

/** Records the binding of inputs: their set and push constants. */
export function recordInputs(
  commands: VkCommandBuffer,
  bindPoint: VkPipelineBindPoint,
  { layout, sets }: BoundInputs,
  shaders: readonly Shader[],
  { push }: ShaderInputs,
): void {
  if (sets.length > 0) commands.vkCmdBindDescriptorSets(bindPoint, layout, 0, sets, []);
  if (push) commands.vkCmdPushConstants(layout, shaders.reduce((flags, { flag }) => flags | flag, 0), 0, bytesOf(push));
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * A binding of a set, with what is bound there. Default: the number after that of the binding before, as many
 * descriptors as are given, all stages, and buffers as a whole.
 */
export type DescriptorInput =
  & VkDescriptorSetLayoutBinding
  & Pick<VkWriteDescriptorSet, "pImageInfo" | "pBufferInfo" | "pTexelBufferView">;

/** A descriptor set and its layout. */
export interface DescriptorSetWithLayout {
  /** The set. */
  readonly set: VkDescriptorSet;
  /** The set's layout. */
  readonly layout: VkDescriptorSetLayout;
}

/** Makes a set with its layout and pool. A binding without anything stays without. */
export function makeDescriptors(
  { device, owned }: Bench,
  descriptors: readonly DescriptorInput[],
): DescriptorSetWithLayout {
  const own = ownedDevice(device, owned), all = numbered(descriptors);
  const layout = own.vkCreateDescriptorSetLayout({
    pBindings: all.map(({ pImageInfo: _i, pBufferInfo: _b, pTexelBufferView: _t, ...binding }) => binding),
  });
  const pPoolSizes = all.map(({ descriptorType: type, descriptorCount }) => ({ type, descriptorCount }));
  const descriptorPool = own.vkCreateDescriptorPool({ maxSets: 1, pPoolSizes });
  const [set] = own.vkAllocateDescriptorSets({ descriptorPool, pSetLayouts: [layout] });
  own.vkUpdateDescriptorSets(all.flatMap((each) => infosOf(each) ? [writeOf(set, each)] : []), []);
  return { set, layout };
}

function infosOf({ pImageInfo, pBufferInfo, pTexelBufferView }: DescriptorInput) {
  return pImageInfo ?? pBufferInfo ?? pTexelBufferView;
}

function numbered(descriptors: readonly DescriptorInput[]): DescriptorInput[] {
  let next = 0;
  return descriptors.map((each) => {
    const { binding = next } = each;
    next = binding + 1;
    return { descriptorCount: infosOf(each)?.length ?? 1, stageFlags: VK_SHADER_STAGE_ALL, ...each, binding };
  });
}

function writeOf(dstSet: VkDescriptorSet, descriptor: DescriptorInput): VkWriteDescriptorSet {
  const { binding, descriptorType, pImageInfo, pBufferInfo, pTexelBufferView } = descriptor;
  const buffers = pBufferInfo?.map((each) => ({ range: VK_WHOLE_SIZE, ...each }));
  const write = { dstSet, dstBinding: binding, descriptorCount: infosOf(descriptor)!.length, descriptorType };
  return { ...write, pImageInfo, pBufferInfo: buffers, pTexelBufferView };
}
