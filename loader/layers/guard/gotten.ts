import { peek32, peek64 } from "../../../ffi/machine.ts";
import type { Command } from "../../command/table.ts";
import { type Handling, longsAt } from "../object_pairs.ts";

/** VkPhysicalDeviceGroupProperties: its size, and where it has how many physical devices, and them. */
const GROUP = { size: 288, count: 16, devices: 24 } as const;

/** The dispatchable handles that a command gives which it has not made: queues and physical devices. */
export function gettingOf({ name, params }: Command): Handling | undefined {
  const last = params.length - 1, { type } = params[last];
  if (name.startsWith("vkGetDeviceQueue") && type === "VkQueue") return handling(type, (args) => [peek64(args[last])]);
  if (!name.startsWith("vkEnumeratePhysicalDevice") || params.length !== 3) return undefined;
  if (type === "VkPhysicalDevice") {
    return handling(type, ([, count, out]) => longsAt(out, peek32(count)));
  }
  return handling(
    "VkPhysicalDevice",
    ([, count, out]) => groups(out, out === 0n ? 0 : peek32(count)).flatMap(devicesIn),
  );
}

function handling(type: string, handles: Handling["handles"]): Handling {
  return { type, handles, pool: () => 0n };
}

function groups(out: bigint, count: number): bigint[] {
  return Array.from({ length: count }, (_, index) => out + BigInt(GROUP.size * index));
}

function devicesIn(group: bigint): bigint[] {
  return longsAt(group + BigInt(GROUP.devices), peek32(group + BigInt(GROUP.count)));
}
