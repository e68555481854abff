import { arena } from "../../../ffi/arena.ts";
import { INSTANCE_CREATE_INFO, requestedLayers, setLayers } from "../../driver/structs/create_info.ts";
import type { Finding } from "../../driver/report/finding.ts";

/** A VkInstanceCreateInfo that names these layers: itself if it does so already, else a copy in the arena. */
export function withLayerNames(info: bigint, names: readonly string[]): bigint {
  if (isSame(requestedLayers(info), names)) return info;
  const memory = arena(), copy = memory.copyIn(info, INSTANCE_CREATE_INFO);
  setLayers(copy, names);
  return memory.address(copy);
}

/** What there is to say of the layers a VkDeviceCreateInfo names: they count for nothing, an instance's are its devices'. */
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
