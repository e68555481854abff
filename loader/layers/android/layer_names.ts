import { arena } from "../../../ffi/arena.ts";
import { cstring } from "../../../ffi/cstring.ts";
import type { Finding } from "../../driver/finding.ts";
import { requestedLayers } from "../choice/choose.ts";

/** VkInstanceCreateInfo: its size, and where it has its layers, which VkDeviceCreateInfo has in the same place. */
const INFO = { size: 64, count: 32, names: 40 } as const;

/** A VkInstanceCreateInfo that names these layers: itself if it does so already, else a copy in the arena. */
export function withLayerNames(info: bigint, names: readonly string[]): bigint {
  if (isSame(requestedLayers(info), names)) return info;
  const memory = arena(), copy = memory.copyIn(info, INFO.size), array = memory.alloc(8 * names.length + 8);
  names.forEach((name, index) => memory.view.setBigUint64(array + 8 * index, memory.place(cstring(name)), true));
  memory.view.setUint32(copy + INFO.count, names.length, true);
  memory.view.setBigUint64(copy + INFO.names, memory.address(array), true);
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
