import { arena, inFrame } from "../../../../ffi/arena.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { DEVICE_CREATE_INFO, findInChain, infoForDriver, withGroup } from "../../../driver/structs/create_info.ts";
import { deviceKeeper } from "../../../chain/bottom/driver_instance.ts";
import type { PhysicalDevice, PhysicalDevices } from "./physical_devices.ts";
import type { Say } from "../../../driver/report/log.ts";
import {
  offsetsOfVkDeviceCreateInfo,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
  VkPhysicalDeviceFeatures2,
} from "../../../gen/native_gen.ts";

const INFO = offsetsOfVkDeviceCreateInfo;

/** Calls a member's vkCreateDevice with the member's part of the create info. */
export function createMemberDevice(
  device: PhysicalDevice,
  devices: PhysicalDevices,
  { info, allocator, out, say }: { info: bigint; allocator: bigint; out: bigint; say: Say },
): number {
  const keep = keeper(device, info, say);
  if (typeof keep === "number") return keep;
  const { owner, own } = device;
  return inFrame((memory) => {
    const copy = infoForDriver(info, DEVICE_CREATE_INFO, keep);
    if (!hasFeatures2(device)) memory.view.setBigUint64(copy + INFO.pEnabledFeatures, plainFeatures(copy), true);
    const create = owner.table.get("vkCreateDevice"), args = [own, memory.address(copy), allocator, out];
    const ownOf = (gpu: bigint) => devices.find(gpu)?.own ?? gpu;
    return withGroup(memory.address(copy), ownOf, () => invokeAddress(create, "s:qqqq", args) as number);
  });
}

/**
 * An extension that the driver does not list belongs to a layer, and the driver
 * does not get it. The error is that of listing the extensions.
 */
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

function hasFeatures2({ owner: { table } }: PhysicalDevice): boolean {
  return table.get("vkGetPhysicalDeviceFeatures2") !== 0n;
}

/**
 * Returns the features for a driver that does not know
 * VkPhysicalDeviceFeatures2: those inside it, if it is in the chain.
 */
function plainFeatures(copy: number): bigint {
  const { view } = arena(), given = view.getBigUint64(copy + INFO.pEnabledFeatures, true);
  const chained = findInChain(view.getBigUint64(copy + INFO.pNext, true), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  return given !== 0n || chained === 0n ? given : chained + VkPhysicalDeviceFeatures2.features;
}
