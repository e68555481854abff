// deno-lint-ignore no-explicit-any -- structs of a call
type Fields = Record<string, any>;

const SAMPLER = 0, COMBINED_IMAGE_SAMPLER = 1;
const DERIVATIVE_BIT = 4;

/** Removes handles from arguments that the specification ignores. Their objects may be gone. */
export function dropIgnored(args: Fields): void {
  for (const write of args.pDescriptorWrites ?? []) {
    for (const image of write.pImageInfo ?? []) dropUnused(image, write.descriptorType);
  }
  for (const info of Array.isArray(args.pCreateInfos) ? args.pCreateInfos : []) {
    if ((info.flags & DERIVATIVE_BIT) === 0) delete info.basePipelineHandle;
  }
}

/** An unknown sampler stands where the layout has its own. */
function dropUnused(image: Fields, type: number): void {
  if (type === SAMPLER) delete image.imageView;
  if (type > COMBINED_IMAGE_SAMPLER || image.sampler?.includes("?")) delete image.sampler;
}
