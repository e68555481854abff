import type { StructObject } from "../../../loader/codec/values/convert.ts";
import { nameOfSType } from "../../../loader/codec/layout/layout.ts";
import {
  VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR,
  VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
  VK_DESCRIPTOR_TYPE_SAMPLER,
  VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT,
  VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT,
  VK_PIPELINE_CREATE_DERIVATIVE_BIT,
} from "../../../loader/gen/native_gen.ts";
import { isChained } from "./commands.ts";

// deno-lint-ignore no-explicit-any -- structs of a call
type Fields = Record<string, any>;

/**
 * Handles that the specification ignores under a condition, so that they may
 * hold anything: those that the registry marks with `noautovalidity`, and the
 * resolve view of an attachment, by the name of their struct. Pointers that are
 * ignored are in the codec's guards.
 */
const IGNORED: Readonly<Record<string, (object: StructObject) => boolean>> = {
  "VkRenderingAttachmentInfo.resolveImageView": ({ imageView, resolveMode }) => !imageView || !resolveMode,
  "VkDescriptorUpdateTemplateCreateInfo.descriptorSetLayout": ({ templateType }) => !!templateType,
  "VkDescriptorUpdateTemplateCreateInfo.pipelineLayout": ({ templateType }) => !templateType,
  "VkAccelerationStructureBuildGeometryInfoKHR.srcAccelerationStructure": ({ mode }) =>
    mode !== VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR,
  "VkGraphicsPipelineCreateInfo.layout": (info) => {
    const without = VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT |
      VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;
    return (libraryParts(info) & ~without) === 0;
  },
  "VkGraphicsPipelineCreateInfo.renderPass": (info) =>
    (libraryParts(info) & ~VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT) === 0,
  "VkGraphicsPipelineCreateInfo.basePipelineHandle": isNotDerived,
  "VkComputePipelineCreateInfo.basePipelineHandle": isNotDerived,
  "VkRayTracingPipelineCreateInfoNV.basePipelineHandle": isNotDerived,
  "VkRayTracingPipelineCreateInfoKHR.basePipelineHandle": isNotDerived,
  "VkExecutionGraphPipelineCreateInfoAMDX.basePipelineHandle": isNotDerived,
};

/** Whether the specification ignores a member of a decoded struct. */
export function isIgnored(struct: string, member: string, object: StructObject): boolean {
  return IGNORED[`${struct}.${member}`]?.(object) ?? false;
}

/**
 * Whether a replay needs a struct of a chain. It does not need those for people
 * and debuggers, and those that say nothing: dedicated to no object, or without
 * a type of external handles.
 */
export function isNeeded(name: string, link: StructObject): boolean {
  const { handleType, handleTypes, image, buffer } = link;
  if (/DedicatedAllocat(e|ion)(Memory\w+)?InfoN?V?$/.test(name) && "image" in link) return !!(image || buffer);
  if (/^Vk(Import|Export|ExternalMemory\w+CreateInfo)/.test(name) && (handleType ?? handleTypes) === 0) return false;
  return isChained(name);
}

/** Removes handles from arguments that the specification ignores because of what stands elsewhere in the call. */
export function dropIgnored(args: Fields): void {
  for (const write of args.pDescriptorWrites ?? args.pPushDescriptorSetInfo?.pDescriptorWrites ?? []) {
    // Pushed descriptors have no set.
    if ("commandBuffer" in args) delete write.dstSet;
    for (const image of write.pImageInfo ?? []) dropUnused(image, write.descriptorType);
  }
}

/** Removes from a VkCommandBufferBeginInfo what a secondary command buffer inherits from no pass. */
export function dropUninherited({ flags, pInheritanceInfo: info }: Fields): void {
  if (!info) return;
  const continues = (flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) !== 0;
  if (!continues) {
    delete info.renderPass;
    delete info.framebuffer;
  }
  if (continues && !info.renderPass || !info.pNext) return;
  info.pNext = info.pNext.filter(({ sType }: Fields) => sType !== "VkCommandBufferInheritanceRenderingInfo");
}

/** An unknown sampler stands where the layout has its own. */
function dropUnused(image: Fields, type: number): void {
  if (type === VK_DESCRIPTOR_TYPE_SAMPLER) delete image.imageView;
  if (type > VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || image.sampler?.includes("?")) delete image.sampler;
}

/** The flags of a pipeline may be in a struct of its chain, which then counts alone. */
function isNotDerived(info: StructObject): boolean {
  const flags = BigInt((linkOf(info, "VkPipelineCreateFlags2CreateInfo")?.flags ?? info.flags) as number);
  return (flags & BigInt(VK_PIPELINE_CREATE_DERIVATIVE_BIT)) === 0n || info.basePipelineIndex !== -1;
}

/** The parts that a pipeline library has; all for other pipelines. */
function libraryParts(info: StructObject): number {
  return (linkOf(info, "VkGraphicsPipelineLibraryCreateInfoEXT")?.flags ?? ~0) as number;
}

function linkOf({ pNext }: StructObject, name: string): StructObject | undefined {
  return (pNext as StructObject[]).find(({ sType }) => nameOfSType(sType as number) === name);
}
