import type { StampSpec } from "../../../ffi/emit/emitter.ts";
import { GROUP } from "../../emit/layout.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../gen/command_table_gen.js";
import { offsetsOfVkCommandBufferAllocateInfo, VK_ERROR_INITIALIZATION_FAILED } from "../../gen/native_gen.ts";

/**
 * Commands that return dispatchable handles. The dispatch table has a
 * terminator for each, which calls the command in a hidden slot and then stores
 * the table's address in word 0 of the returned handles. Terminators are
 * machine code, because native code may call on any thread.
 */
type Stamped = Omit<StampSpec, "hiddenOffset" | "failure">;

/** The result, as 32 bits, for a list without a count, as with the Khronos loader. */
const FAILURE = VK_ERROR_INITIALIZATION_FAILED >>> 0;

/** The stamped commands of an instance's table. */
export const INSTANCE_STAMPS: readonly Stamped[] = [
  { name: "vkEnumeratePhysicalDevices", handles: "array", argument: 2, result: true },
  { name: "vkEnumeratePhysicalDeviceGroups", handles: "groups", argument: 2, result: true, groupPlaces: GROUP },
  { name: "vkEnumeratePhysicalDeviceGroupsKHR", handles: "groups", argument: 2, result: true, groupPlaces: GROUP },
];
/** The stamped commands of a device's table. */
export const DEVICE_STAMPS: readonly Stamped[] = [
  { name: "vkGetDeviceQueue", handles: "one", argument: 3, result: false },
  { name: "vkGetDeviceQueue2", handles: "one", argument: 2, result: false },
  {
    name: "vkAllocateCommandBuffers",
    handles: "allocated",
    argument: 2,
    result: true,
    lengthAt: offsetsOfVkCommandBufferAllocateInfo.commandBufferCount,
  },
];

/** Returns the terminators of both levels, with the offsets of their hidden slots. */
export function stampSpecs(): StampSpec[] {
  return [...withOffsets(INSTANCE_STAMPS, INSTANCE_NAMES), ...withOffsets(DEVICE_STAMPS, DEVICE_NAMES)];
}

function withOffsets(stamps: readonly Stamped[], names: string): StampSpec[] {
  const first = names.split(" ").length;
  return stamps.map((stamp, index) => ({
    ...stamp,
    hiddenOffset: 8 * (first + index),
    failure: FAILURE,
  }));
}
