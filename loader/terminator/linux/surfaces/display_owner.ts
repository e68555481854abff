import { inFrame } from "../../../../ffi/arena.ts";
import { invokeAddress, peek64 } from "../../../../ffi/machine.ts";
import type { LiveMember } from "../members/member.ts";
import type { PhysicalDevice } from "../physical_devices/physical_devices.ts";

/** VkDisplayPropertiesKHR and VkDisplayModePropertiesKHR: their sizes. Both begin with the handle. */
const DISPLAY = 48, MODE = 24;
/** Offset of the mode in VkDisplaySurfaceCreateInfoKHR. */
const DISPLAY_MODE = 24n;

/**
 * Returns the member for a VkDisplaySurfaceCreateInfoKHR: the member that lists
 * its display mode. No other member may see the struct, because modes are
 * handles of one driver.
 */
export function displayOwner(info: bigint, devices: readonly PhysicalDevice[]): LiveMember | undefined {
  const mode = peek64(info + DISPLAY_MODE);
  return devices.find((device) => displaysOf(device).some((display) => modesOf(device, display).includes(mode)))?.owner;
}

function displaysOf({ owner: { table }, own }: PhysicalDevice): bigint[] {
  const list = table.get("vkGetPhysicalDeviceDisplayPropertiesKHR");
  return list === 0n ? [] : handles(DISPLAY, (count, out) => invokeAddress(list, "s:qoo", [own, count, out]) as number);
}

function modesOf({ owner: { table }, own }: PhysicalDevice, display: bigint): bigint[] {
  const list = table.get("vkGetDisplayModePropertiesKHR");
  return list === 0n
    ? []
    : handles(MODE, (count, out) => invokeAddress(list, "s:qqoo", [own, display, count, out]) as number);
}

/** Returns the first 64 bits of each struct that a command lists. */
function handles(size: number, call: (count: number, out: number) => number): bigint[] {
  return inFrame((memory) => {
    const { view } = memory, count = memory.alloc(4);
    view.setUint32(count, 0, true);
    const room = call(count, 0) < 0 ? 0 : view.getUint32(count, true), out = memory.alloc(size * room + 8);
    const found = room === 0 || call(count, out) < 0 ? 0 : Math.min(room, view.getUint32(count, true));
    return Array.from({ length: found }, (_, index) => view.getBigUint64(out + size * index, true));
  });
}
