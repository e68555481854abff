import type { DeviceFacts } from "./device_facts.ts";

/** VkPhysicalDeviceType from first to last: discrete, integrated, virtual, other, CPU. */
const TYPES = [2, 1, 3, 0, 4];

/**
 * Compares two physical devices as the Khronos loader sorts them on Linux: the
 * chosen one, then by type (discrete, integrated, virtual, other, CPU), those
 * on a PCI bus first and by their place there, then by vendor and device.
 */
export function compareDevices(
  left: DeviceFacts,
  right: DeviceFacts,
  chosen?: { readonly vendorID: number; readonly deviceID: number },
): number {
  const isChosen = (facts: DeviceFacts) => facts.vendorID === chosen?.vendorID && facts.deviceID === chosen?.deviceID;
  return Number(isChosen(right)) - Number(isChosen(left)) ||
    typeRank(left) - typeRank(right) ||
    Number(right.pci !== undefined) - Number(left.pci !== undefined) ||
    comparePlaces(left.pci ?? [], right.pci ?? []) ||
    left.vendorID - right.vendorID ||
    left.deviceID - right.deviceID;
}

/**
 * What VK_LOADER_DEVICE_SELECT means: vendor and device in hexadecimal, with a
 * colon between; `undefined` when it is nothing of the kind.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parseDeviceSelect("0x10de:2335"), { vendorID: 0x10de, deviceID: 0x2335 });
 * ```
 */
export function parseDeviceSelect(value: string): { vendorID: number; deviceID: number } | undefined {
  const parts = /^(?:0x)?([0-9a-f]{1,8}):(?:0x)?([0-9a-f]{1,8})$/i.exec(value);
  return parts ? { vendorID: parseInt(parts[1], 16), deviceID: parseInt(parts[2], 16) } : undefined;
}

function typeRank({ deviceType }: DeviceFacts): number {
  const rank = TYPES.indexOf(deviceType);
  return rank < 0 ? TYPES.indexOf(0) : rank;
}

function comparePlaces(left: readonly number[], right: readonly number[]): number {
  const index = left.findIndex((value, each) => value !== right[each]);
  return index < 0 ? 0 : left[index] - right[index];
}
