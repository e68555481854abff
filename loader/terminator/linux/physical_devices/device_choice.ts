import { uuidText } from "../../../driver/manifest/settings_file.ts";
import type { DeviceConfiguration } from "../../../driver/manifest/settings_types.ts";
import type { Told } from "../../../driver/report/log.ts";
import type { LiveMember } from "../members/member.ts";
import { type DeviceFacts, type DeviceId, readDeviceId, readDriverName } from "./device_facts.ts";
import type { DeviceChoice, PhysicalDevice } from "./physical_devices.ts";

/** The variables that decide which devices an application sees, and in which order. */
export const DEVICE_VARIABLES = [
  "VK_LOADER_DISABLE_SELECT",
  "VK_LOADER_DEVICE_SELECT",
  "VK_LOADER_DEVICE_ID_FILTER",
  "VK_LOADER_VENDOR_ID_FILTER",
  "VK_LOADER_DRIVER_ID_FILTER",
] as const;

/** VkPhysicalDeviceType in order of preference: discrete, integrated, virtual, other, CPU. */
const TYPES = [2, 1, 3, 0, 4];

/**
 * Compares two physical devices as the Khronos loader sorts them on Linux: the
 * chosen device first, then by type (discrete, integrated, virtual, other,
 * CPU), devices on a PCI bus before others and by their place there, then by
 * vendor and device.
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
 * Parses VK_LOADER_DEVICE_SELECT: vendor and device in hexadecimal, separated
 * by a colon. Returns `undefined` for any other text.
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

/** A range of identifiers, including both ends. */
type Range = readonly [from: number, to: number];

/**
 * Parses VK_LOADER_DEVICE_ID_FILTER and similar variables: identifiers, decimal
 * or (with `0x`) hexadecimal, or ranges `a:b`, separated by commas. Unreadable
 * parts are ignored. Returns `undefined` if nothing is left.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const matches = parseIdFilter("0x10de,5:7")!;
 * assertEquals([4318, 4, 5, 7, 8].map(matches), [true, false, true, true, false]);
 * ```
 */
export function parseIdFilter(value: string): ((id: number) => boolean) | undefined {
  const ranges = value.split(",").map(parseRange).filter((range) => range !== undefined);
  if (ranges.length === 0) return undefined;
  return (id) => ranges.some(([from, to]) => from <= id && id <= to);
}

/** Combines the three filters of an environment: a device must pass all of them. */
export function visibleDevices(read: (variable: string) => string): ((facts: DeviceFacts) => boolean) | undefined {
  const device = parseIdFilter(read("VK_LOADER_DEVICE_ID_FILTER"));
  const vendor = parseIdFilter(read("VK_LOADER_VENDOR_ID_FILTER"));
  const driver = parseIdFilter(read("VK_LOADER_DRIVER_ID_FILTER"));
  if (!device && !vendor && !driver) return undefined;
  return ({ deviceID, vendorID, driverID }) =>
    (device?.(deviceID) ?? true) && (vendor?.(vendorID) ?? true) && (driver?.(driverID ?? 0) ?? true);
}

function parseRange(text: string): Range | undefined {
  const parts = text.split(":").map(parseId);
  if (parts.length > 2 || parts.some((part) => part === undefined)) return undefined;
  const [from, to = from] = parts as [number, number?];
  return [from, to];
}

function parseId(text: string): number | undefined {
  const trimmed = text.trim();
  return /^(0x[0-9a-f]+|\d+)$/i.test(trimmed) ? Number(trimmed) : undefined;
}

/** Chooses exactly the devices that the settings file lists, in its order. */
export function listedDevices(list: readonly DeviceConfiguration[]): DeviceChoice {
  const placeOf = ({ table }: LiveMember, gpu: bigint) => {
    const found = readDeviceId(table, gpu);
    return found ? list.findIndex((each) => isOf(each, found)) : -1;
  };
  return { isSorted: true, placeOf, words: (devices) => wordsOf(list, devices) };
}

function isOf(listed: DeviceConfiguration, found: DeviceId): boolean {
  return listed.driverVersion === found.driverVersion && equal(listed.deviceUUID, found.deviceUUID) &&
    equal(listed.driverUUID, found.driverUUID);
}

function equal(left: Uint8Array, right: Uint8Array): boolean {
  return left.every((byte, index) => byte === right[index]);
}

/** The Khronos loader's prefix of these messages. Programs search for these words. */
const APPLY = "loader_apply_settings_device_configurations:";

/** Returns the Khronos loader's words: about each entry of the list, then about each device that no entry is for. */
function wordsOf(list: readonly DeviceConfiguration[], devices: readonly PhysicalDevice[]): Told[] {
  const ids = devices.map(({ owner: { table }, own }) => readDeviceId(table, own)), taken = new Set<number>();
  const entries = list.map((listed): Told => {
    const at = ids.findIndex((id, index) => id && !taken.has(index) && isOf(listed, id)), place = taken.size;
    if (at < 0) return { level: "warning", text: missing(listed) };
    taken.add(at);
    return { level: "debug", text: selected(devices[at], place, listed.driverVersion) };
  });
  const others = devices.filter((_, index) => !taken.has(index));
  return [
    { level: "info", text: BEGIN },
    ...entries,
    ...others.map(({ name }): Told => ({ level: "info", text: leftOut(name) })),
    ...taken.size === 0 ? [{ level: "warning", text: NONE } as const] : [],
  ];
}

const BEGIN = "Selecting and ordering VkPhysicalDevices to match the loader settings device configurations list";
const NONE = `${APPLY} None of the settings file device configurations had deviceUUID's that corresponded to ` +
  "enumerated VkPhysicalDevices. Returning VK_ERROR_INITIALIZATION_FAILED";

function leftOut(name: string): string {
  return `VkPhysicalDevice "${name}" did not appear in the settings file device configurations list, so was not added ` +
    "to the pPhysicalDevices array";
}

function selected({ owner: { table }, own, name }: PhysicalDevice, place: number, version: number): string {
  const driver = readDriverName(table, own), signed = version | 0;
  const about = driver === undefined ? `driver version ${signed}` : `${driver}, version ${signed}`;
  return `pPhysicalDevices array index ${place} is set to "${name}" (${about}) `;
}

/** The driver's name is said only behind that of the device. */
function missing({ deviceUUID, driverUUID, driverVersion, deviceName, driverName }: DeviceConfiguration): string {
  const about = [
    ...deviceName === "" ? [] : [`deviceName: "${deviceName}"`],
    `deviceUUID: ${uuidText(deviceUUID)}`,
    ...deviceName === "" || driverName === "" ? [] : [`driverName: ${driverName}`],
    `driverUUID: ${uuidText(driverUUID)}`,
    `driverVersion: ${driverVersion | 0}`,
  ];
  return `${APPLY} settings file contained device_configuration which does not appear in the enumerated ` +
    `VkPhysicalDevices. Missing VkPhysicalDevice with ${about.join(", ")}`;
}
