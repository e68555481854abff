import { uuidText } from "../../../driver/manifest/settings_file.ts";
import type { DeviceConfiguration } from "../../../driver/manifest/settings_types.ts";
import type { Told } from "../../../driver/report/log.ts";
import type { LiveMember } from "../members/member.ts";
import { type DeviceId, readDeviceId, readDriverName } from "./device_facts.ts";
import type { DeviceChoice, PhysicalDevice } from "./physical_devices.ts";

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
