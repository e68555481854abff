import { longIn } from "../../../ffi/long.ts";
import { peek32 } from "../../../ffi/machine.ts";
import type { Command } from "../../command/registry/table.ts";
import { type Handling, readFrom } from "../define/object_pairs.ts";

/**
 * VkPhysicalDeviceGroupProperties: its size, and the offsets of the number of
 * physical devices and of their handles.
 */
const GROUP = { size: 288, count: 16, devices: 24 } as const;

/** The dispatchable handles that a command returns without creating them: queues and physical devices. */
export function gettingOf({ name, params }: Command): Handling | undefined {
  const last = params.length - 1, { type } = params[last];
  if (name.startsWith("vkGetDeviceQueue") && type === "VkQueue") {
    return { type, place: last, measure: last, count: () => 1, read: readFrom };
  }
  if (!name.startsWith("vkEnumeratePhysicalDevice") || params.length !== 3) return undefined;
  const listed = type === "VkPhysicalDevice" ? devicesAt : devicesInGroups;
  return {
    type: "VkPhysicalDevice",
    place: last,
    measure: last - 1,
    count: (out, count) => listed(count as bigint, out).length,
    read: (to, at, index, out, count) => to.set(at, listed(count as bigint, out)[index]),
  };
}

function devicesAt(count: bigint, out: bigint): bigint[] {
  return out === 0n ? [] : longsIn(out, peek32(count));
}

function devicesInGroups(count: bigint, out: bigint): bigint[] {
  const groups = Array.from({ length: out === 0n ? 0 : peek32(count) }, (_, index) => out + BigInt(GROUP.size * index));
  return groups.flatMap((group) => longsIn(group + BigInt(GROUP.devices), peek32(group + BigInt(GROUP.count))));
}

function longsIn(array: bigint, length: number): bigint[] {
  return Array.from({ length }, (_, index) => longIn(array, index));
}
