import { VK_WHOLE_SIZE } from "../../../loader/gen/enums_core_gen.js";
import type { Fields } from "../record/line.ts";
import { braces, brackets, type Node } from "./node.ts";
import type { Values } from "./values.ts";

/** A descriptor set that is not needed yet. */
export interface CondensedSet {
  /** Create info of the layout. */
  readonly layout: Fields;
  /** The writes into the set so far. */
  readonly writes: Fields[];
}

/** Whether `descriptorSet()` makes such a set: each binding is written once, and as a whole. */
export function isCondensedSet({ layout, writes }: CondensedSet): boolean {
  const bindings: Fields[] = layout.pBindings ?? [];
  if (layout.flags || layout.pNext?.length > 0 || bindings.length === 0) return false;
  const written = new Set(writes.map(({ dstBinding }) => dstBinding));
  return written.size === writes.length && writes.every((write) => {
    const binding = bindings.find((each) => each.binding === write.dstBinding);
    return binding !== undefined && !write.dstArrayElement && !(write.pNext?.length > 0) &&
      infosOf(write)?.length === binding.descriptorCount && write.descriptorType === binding.descriptorType;
  });
}

/**
 * Writes the argument of `descriptorSet()`: the bindings into which something was written. Sizes of buffers say which
 * ranges are whole.
 */
export function setArgument(
  { layout, writes }: CondensedSet,
  values: Values,
  sizeOf: (buffer: string) => number,
): Node {
  let next = 0;
  return brackets(layout.pBindings.flatMap((binding: Fields): Node[] => {
    const write = writes.find(({ dstBinding }) => dstBinding === binding.binding), infos = write && infosOf(write);
    if (!write && !binding.pImmutableSamplers) return [];
    const { stageFlags: _, descriptorCount, descriptorType, binding: number, ...rest } = binding;
    const members = values.members("VkDescriptorSetLayoutBinding", {
      ...rest,
      ...descriptorCount !== (infos?.length ?? 1) && { descriptorCount },
    });
    const own = number === next ? [] : [`binding: ${number}`];
    const kind = values.of({ name: "descriptorType", type: "VkDescriptorType" }, descriptorType);
    next = number + 1;
    return [braces([...own, `descriptorType: ${kind}`, ...members, ...write ? contents(write, values, sizeOf) : []])];
  }));
}

function contents(
  { pImageInfo, pBufferInfo, pTexelBufferView }: Fields,
  values: Values,
  sizeOf: (buffer: string) => number,
) {
  const buffers = pBufferInfo?.map(({ buffer, offset, range }: Fields) => {
    const isWhole = `${range}` === `${VK_WHOLE_SIZE}` || Number(offset) + Number(range) === sizeOf(buffer);
    return { buffer, offset, ...!isWhole && { range } };
  });
  const all = { pImageInfo, pBufferInfo: buffers, pTexelBufferView };
  const there = Object.entries(all).filter(([, value]) => value?.length > 0);
  return values.members("VkWriteDescriptorSet", Object.fromEntries(there));
}

function infosOf({ pImageInfo, pBufferInfo, pTexelBufferView }: Fields): unknown[] | undefined {
  return [pImageInfo, pBufferInfo, pTexelBufferView].find((each) => each?.length > 0);
}
