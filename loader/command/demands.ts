/**
 * Checks for values that drivers do not survive, although the registry lets a caller pass them: the specification
 * states these rules in sentences. A driver that hears such a call overwrites memory or follows a null pointer.
 *
 * @module
 */
import { arena } from "../../ffi/arena.ts";
import { guardOf, isLibrary, statesOf } from "../codec/closures/guards.ts";
import { type Field, type Layout, layoutOf } from "../codec/layout/layout.ts";
import { lacksQueues } from "../driver/structs/create_info.ts";
import { peek32 } from "../../ffi/machine.ts";

/** Throws a `TypeError` if the encoded struct at an arena offset lacks something. `label` is its name in messages. */
export type Demand = (at: number, label: string) => void;

const DEMANDS: Readonly<Record<string, Demand>> = {
  "vkCreateDevice.pCreateInfo": demandQueues,
  "vkCreateImage.pCreateInfo": (at, label) => demandLevels(arena().address(at), label),
  "vkGetDeviceImageMemoryRequirements.pInfo": demandLevelsOf,
  "vkGetDeviceImageSparseMemoryRequirements.pInfo": demandLevelsOf,
  "vkCreateGraphicsPipelines.pCreateInfos": demandStates,
  "vkUpdateDescriptorSets.pDescriptorWrites": (at, label) => demandPointer("VkWriteDescriptorSet", "dstSet", at, label),
};

/** Returns what a driver demands of the structs at a parameter; `undefined` if that is what the registry demands. */
export function demandOf(command: string, parameter: string): Demand | undefined {
  return DEMANDS[`${command.replace(/KHR$/, "")}.${parameter}`];
}

function fieldOf(layout: Layout, name: string): Field {
  return layout.fields.find((field) => field.name === name)!;
}

/** Drivers read the first queue without looking at the count. */
function demandQueues(at: number, label: string): void {
  if (!lacksQueues(arena().address(at))) return;
  throw new TypeError(
    `${label}.pQueueCreateInfos: expected at least one queue family, found none; ` +
      "name one, such as { queueFamilyIndex: 0, pQueuePriorities: [1] }",
  );
}

/** Drivers have room for as many levels as a size can be halved. */
function demandLevels(info: bigint, label: string): void {
  const layout = layoutOf("VkImageCreateInfo"), { offset } = fieldOf(layout, "extent");
  const sides = [0, 4, 8].map((side) => peek32(info + BigInt(offset + side)));
  const levels = peek32(info + BigInt(fieldOf(layout, "mipLevels").offset));
  const most = 32 - Math.clz32(Math.max(1, ...sides));
  if (levels >= 1 && levels <= most) return;
  throw new TypeError(`${label}.mipLevels: expected 1 to ${most} for an extent of ${sides.join("x")}, found ${levels}`);
}

function demandLevelsOf(at: number, label: string): void {
  const { offset } = fieldOf(layoutOf("VkDeviceImageMemoryRequirements"), "pCreateInfo");
  demandLevels(arena().view.getBigUint64(at + offset, true), `${label}.pCreateInfo`);
}

/** The states of a graphics pipeline that drivers read without looking whether they are there. */
const STATES = [
  "pStages",
  "pVertexInputState",
  "pInputAssemblyState",
  "pViewportState",
  "pRasterizationState",
  "pMultisampleState",
];
/** From here on, dynamic states come from extensions, which let a pipeline leave out what they set. */
const EXTENDED = 1_000_000_000;

/** Demands the states that count for a pipeline, unless libraries or dynamic states may stand for them. */
function demandStates(at: number, label: string): void {
  const layout = layoutOf("VkGraphicsPipelineCreateInfo");
  if (isLibrary(at) || [...statesOf(layout, at)].some((state) => state >= EXTENDED)) return;
  for (const name of STATES) {
    if (guardOf(layout, fieldOf(layout, name))!(at)) demandPointer(layout.name, name, at, label);
  }
}

function demandPointer(type: string, name: string, at: number, label: string): void {
  const { offset } = fieldOf(layoutOf(type), name);
  if (arena().view.getBigUint64(at + offset, true) !== 0n) return;
  throw new TypeError(`${label}.${name} is required here, found nothing`);
}
