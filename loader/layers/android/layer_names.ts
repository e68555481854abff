import { arena } from "../../../ffi/arena.ts";
import { INSTANCE_CREATE_INFO, requestedLayers, setLayers } from "../../driver/structs/create_info.ts";
import type { Finding } from "../../driver/report/finding.ts";

/**
 * Returns a VkInstanceCreateInfo that names these layers: the same one if it
 * already does, otherwise a copy in the arena.
 */
export function withLayerNames(info: bigint, names: readonly string[]): bigint {
  if (isSame(requestedLayers(info), names)) return info;
  const memory = arena(), copy = memory.copyIn(info, INSTANCE_CREATE_INFO);
  setLayers(copy, names);
  return memory.address(copy);
}

/**
 * Returns findings about the layers that a VkDeviceCreateInfo names. The names
 * have no effect, because a device has the layers of its instance.
 */
export function deviceLayerFindings(info: bigint, names: readonly string[]): Finding[] {
  const asked = requestedLayers(info);
  if (asked?.length === 0 || isSame(asked, names)) return [];
  const path = asked?.join(", ") ?? "layers without a name", origin = "VkDeviceCreateInfo";
  const reason = "no effect: the layers of devices are those of their instance";
  return [{ subject: "layer", path, origin, taken: false, reason, level: "warning" }];
}

function isSame(one: readonly string[] | undefined, other: readonly string[]): boolean {
  return one?.length === other.length && one.every((name, index) => name === other[index]);
}
