import { arena } from "../../../ffi/arena.ts";
import { invoke, peek32, peek64, poke64 } from "../../../ffi/machine.ts";
import { findInChain } from "../../chain/create_info.ts";
import { DEVICE_CREATE_INFO, infoForDriver } from "../../driver/enabled_extensions.ts";
import { deviceKeeper } from "../../chain/driver_instance.ts";
import type { PhysicalDevice, PhysicalDevices } from "./physical_devices.ts";
import type { Say } from "./say.ts";

/** Where VkDeviceCreateInfo has its chain and its features. */
const P_NEXT = 8, FEATURES = 64;
/** VkDeviceGroupDeviceCreateInfo and VkPhysicalDeviceFeatures2: structure types, and where their payload is. */
const GROUP_INFO = { sType: 1_000_070_001, count: 16n, devices: 24n };
const FEATURES_2 = { sType: 1_000_059_000, features: 16n };

/** Calls a member's vkCreateDevice with what of the create info is the member's concern. */
export function createMemberDevice(
  device: PhysicalDevice,
  devices: PhysicalDevices,
  { info, allocator, out, say }: { info: bigint; allocator: bigint; out: bigint; say: Say },
): number {
  const keep = keeper(device, info, say);
  if (typeof keep === "number") return keep;
  const memory = arena(), mark = memory.mark(), { owner, own } = device;
  const copy = infoForDriver(info, DEVICE_CREATE_INFO, keep);
  const restore = exchangeGroup(memory.view.getBigUint64(copy + P_NEXT, true), devices);
  try {
    if (!hasFeatures2(device)) memory.view.setBigUint64(copy + FEATURES, plainFeatures(copy), true);
    const create = owner.table.get("vkCreateDevice");
    return invoke(create, "s:qqqq", [own, memory.address(copy), allocator, out]) as number;
  } finally {
    restore();
    memory.release(mark);
  }
}

/** Extensions the driver does not list are some layer's: the driver does not hear of them. An error is that of asking it. */
function keeper(
  { owner: { table, member }, own }: PhysicalDevice,
  info: bigint,
  say: Say,
): ((name: string) => boolean) | number {
  const isOwn = deviceKeeper(table.get("vkEnumerateDeviceExtensionProperties"), own, info);
  if (typeof isOwn === "number") return isOwn;
  return (name) => {
    if (!isOwn(name)) say("info", `${member.driver.path} does not list ${name}: it is left to the layers`);
    return isOwn(name);
  };
}

/** Puts the members' own handles into a VkDeviceGroupDeviceCreateInfo; returns what puts ours back. */
function exchangeGroup(chain: bigint, devices: PhysicalDevices): () => void {
  const group = findInChain(chain, GROUP_INFO.sType);
  const list = group === 0n ? 0n : peek64(group + GROUP_INFO.devices);
  if (list === 0n) return () => {};
  const memory = arena(), count = peek32(group + GROUP_INFO.count), exchanged = memory.alloc(8 * count + 8);
  for (let index = 0; index < count; index++) {
    const ours = peek64(list + BigInt(8 * index));
    memory.view.setBigUint64(exchanged + 8 * index, devices.find(ours)?.own ?? ours, true);
  }
  poke64(group + GROUP_INFO.devices, memory.address(exchanged));
  return () => poke64(group + GROUP_INFO.devices, list);
}

function hasFeatures2({ owner: { table } }: PhysicalDevice): boolean {
  return table.get("vkGetPhysicalDeviceFeatures2") !== 0n;
}

/** The features for a driver that does not know VkPhysicalDeviceFeatures2: those inside it, if one is there. */
function plainFeatures(copy: number): bigint {
  const { view } = arena(), given = view.getBigUint64(copy + FEATURES, true);
  const chained = findInChain(view.getBigUint64(copy + P_NEXT, true), FEATURES_2.sType);
  return given !== 0n || chained === 0n ? given : chained + FEATURES_2.features;
}
