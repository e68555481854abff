import {
  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
  VK_DESCRIPTOR_TYPE_SAMPLER,
  VK_PIPELINE_CREATE_DERIVATIVE_BIT,
} from "../../../gen/native_gen.ts";

// deno-lint-ignore no-explicit-any -- structs of a call
type Fields = Record<string, any>;

/** Removes handles from arguments that the specification ignores. Their objects may be gone. */
export function dropIgnored(args: Fields): void {
  for (const write of args.pDescriptorWrites ?? []) {
    for (const image of write.pImageInfo ?? []) dropUnused(image, write.descriptorType);
  }
  for (const info of Array.isArray(args.pCreateInfos) ? args.pCreateInfos : []) {
    if ((info.flags & VK_PIPELINE_CREATE_DERIVATIVE_BIT) === 0) delete info.basePipelineHandle;
  }
}

/** An unknown sampler stands where the layout has its own. */
function dropUnused(image: Fields, type: number): void {
  if (type === VK_DESCRIPTOR_TYPE_SAMPLER) delete image.imageView;
  if (type > VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || image.sampler?.includes("?")) delete image.sampler;
}
