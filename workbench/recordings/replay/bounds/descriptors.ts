import type { Fields } from "../../record/line.ts";
import {
  VK_DESCRIPTOR_TYPE_MUTABLE_EXT,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
} from "../../../../loader/gen/enums_core_gen.js";
import { requireCount, requireMemory, requirePart, requireRoomIn, type Sizes, whole, wide } from "./facts.ts";
import type { BoundsCheck } from "./transfers.ts";

/** The VkDescriptorTypes whose offsets come when a set is bound. */
export const DYNAMIC: readonly number[] = [
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
];

/** Descriptors go on in the next bindings of the set where one binding has no more. */
function requireDescriptors(sizes: Sizes, set: string, first: Fields, count: number): void {
  const [bindings] = sizes.layouts(set) ?? [];
  if (!bindings) return;
  const found = bindings.find(({ binding }) => binding === whole(first.binding));
  if (!found) throw new TypeError(`${set} has no binding ${first.binding}; name one of its layout's`);
  const isSame = first.type === undefined || found.descriptorType === first.type ||
    found.descriptorType === VK_DESCRIPTOR_TYPE_MUTABLE_EXT;
  if (!isSame) {
    throw new TypeError(
      `binding ${first.binding} of ${set} is of VkDescriptorType ${found.descriptorType}, not ${first.type}; ` +
        "write what its layout says",
    );
  }
  const room = bindings.filter(({ binding }) => binding >= found.binding)
    .reduce((sum, { descriptorCount = 0 }) => sum + whole(descriptorCount), 0);
  requireCount(`${set} from binding ${first.binding} on`, "descriptors", whole(first.element), count, room);
}

function write(sizes: Sizes, write: Fields): void {
  const { dstSet, dstBinding: binding, dstArrayElement: element, descriptorType: type } = write;
  const { pBufferInfo = [], pImageInfo = [], pTexelBufferView = [], descriptorCount } = write;
  const count = Math.max(pBufferInfo.length, pImageInfo.length, pTexelBufferView.length) || whole(descriptorCount);
  if (dstSet) requireDescriptors(sizes, dstSet, { binding, element, type }, count);
  for (const { buffer, offset, range } of pBufferInfo as Fields[]) requireRoomIn(sizes, buffer, offset, range);
}

/** Sets that are bound need the layouts of the pipeline layout, and an offset for each dynamic descriptor. */
function bind(sizes: Sizes, args: Fields): void {
  const { layout, firstSet, pDescriptorSets = [], pDynamicOffsets = [] } = args, layouts = sizes.layouts(layout);
  if (!layouts) return;
  requireCount(`${layout}`, "sets", whole(firstSet), pDescriptorSets.length, layouts.length);
  const places = (pDescriptorSets as string[]).map((set) => dynamicOf(sizes, set));
  if (places.some((each) => !each)) return;
  const all = places.flatMap((each) => each!);
  if (all.length !== pDynamicOffsets.length) {
    throw new TypeError(
      `the sets have ${all.length} dynamic descriptors, and pDynamicOffsets has ${pDynamicOffsets.length} values; ` +
        "give one for each",
    );
  }
  for (const [index, found] of all.entries()) {
    if (found) {
      requireRoomIn(sizes, found.buffer, wide(found.offset) + BigInt(whole(pDynamicOffsets[index])), found.range);
    }
  }
}

/** The buffers of a set's dynamic descriptors, in the order of their offsets; `undefined` for an unknown set. */
function dynamicOf(sizes: Sizes, set: string): (Fields | undefined)[] | undefined {
  const bindings = sizes.layouts(set)?.[0]?.filter(({ descriptorType }) => DYNAMIC.includes(descriptorType));
  return bindings?.toSorted((one, other) => one.binding - other.binding).flatMap(({ binding, descriptorCount = 0 }) =>
    Array.from(
      { length: Math.min(whole(descriptorCount), MOST_DYNAMIC) },
      (_, element) => sizes.dynamic(set, binding, element),
    )
  );
}

/** No device has so many dynamic descriptors in a set; a recording may say any number. */
const MOST_DYNAMIC = 65_536;

function queries(name = "queryCount"): BoundsCheck {
  return (sizes, args) => {
    const { queryPool, query, firstQuery = query } = args, all = sizes.info(queryPool)?.queryCount;
    if (all === undefined) return;
    requireCount(`${queryPool}`, "queries", whole(firstQuery), name in args ? whole(args[name]) : 1, whole(all));
  };
}

/** The checks of descriptors, views and queries. */
export const DESCRIPTORS: Readonly<Record<string, BoundsCheck>> = {
  vkUpdateDescriptorSets(sizes, { pDescriptorWrites = [], pDescriptorCopies = [] }) {
    for (const each of pDescriptorWrites) write(sizes, each);
    for (
      const { srcSet, srcBinding, srcArrayElement, dstSet, dstBinding, dstArrayElement, descriptorCount }
        of pDescriptorCopies
    ) {
      const count = whole(descriptorCount);
      requireDescriptors(sizes, srcSet, { binding: srcBinding, element: srcArrayElement }, count);
      requireDescriptors(sizes, dstSet, { binding: dstBinding, element: dstArrayElement }, count);
    }
  },
  vkCmdBindDescriptorSets: bind,
  vkCmdPushDescriptorSet(sizes, { pDescriptorWrites = [] }) {
    for (const each of pDescriptorWrites) write(sizes, { ...each, dstSet: undefined });
  },
  vkCreateImageView(sizes, { pCreateInfo: { image, subresourceRange } }) {
    requirePart(sizes, image, subresourceRange);
  },
  vkCreateBufferView(sizes, { pCreateInfo: { buffer, offset, range } }) {
    requireRoomIn(sizes, buffer, offset, range);
  },
  vkGetBufferDeviceAddress(sizes, { pInfo: { buffer } }) {
    if (sizes.info(buffer)) requireMemory(sizes, buffer);
  },
  vkCmdResetQueryPool: queries(),
  vkResetQueryPool: queries(),
  vkCmdCopyQueryPoolResults: queries(),
  vkGetQueryPoolResults: queries(),
  vkCmdBeginQuery: queries("none"),
  vkCmdEndQuery: queries("none"),
  vkCmdWriteTimestamp: queries("none"),
  vkCmdWriteTimestamp2: queries("none"),
};
