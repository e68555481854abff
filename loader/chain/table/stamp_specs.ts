import type { StampSpec } from "../../../ffi/emit/emitter.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../gen/command_table_gen.js";

/**
 * Commands that return dispatchable handles. In the dispatch table stands a
 * terminator that calls on through a hidden slot and then stores the table's
 * address in word 0 of what came back, in machine code, because native code
 * may call from any thread.
 */
type Stamped = Omit<StampSpec, "hiddenOffset">;

/** Those of an instance's table. */
export const INSTANCE_STAMPS: readonly Stamped[] = [
  { name: "vkEnumeratePhysicalDevices", kind: "array", argument: 2, result: true },
  { name: "vkEnumeratePhysicalDeviceGroups", kind: "groups", argument: 2, result: true },
  { name: "vkEnumeratePhysicalDeviceGroupsKHR", kind: "groups", argument: 2, result: true },
];
/** Those of a device's table. */
export const DEVICE_STAMPS: readonly Stamped[] = [
  { name: "vkGetDeviceQueue", kind: "one", argument: 3, result: false },
  { name: "vkGetDeviceQueue2", kind: "one", argument: 2, result: false },
  { name: "vkAllocateCommandBuffers", kind: "allocated", argument: 2, result: true },
];

/** The terminators of both levels, with the places of their hidden slots. */
export function stampSpecs(): StampSpec[] {
  return [...withOffsets(INSTANCE_STAMPS, INSTANCE_NAMES), ...withOffsets(DEVICE_STAMPS, DEVICE_NAMES)];
}

function withOffsets(stamps: readonly Stamped[], names: string): StampSpec[] {
  const first = names.split(" ").length;
  return stamps.map((stamp, index) => ({ ...stamp, hiddenOffset: 8 * (first + index) }));
}
