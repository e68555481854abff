import { arena, inFrame } from "../../../../ffi/arena.ts";
import { readCString } from "../../../../ffi/cstring.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { deviceExtensions } from "../../../chain/bottom/driver_instance.ts";
import type { MemberTable } from "../members/member.ts";
import {
  offsetsOfVkPhysicalDeviceDriverProperties,
  offsetsOfVkPhysicalDeviceIDProperties,
  offsetsOfVkPhysicalDevicePCIBusInfoPropertiesEXT,
  offsetsOfVkPhysicalDeviceProperties,
  offsetsOfVkPhysicalDeviceProperties2,
  sizeOfVkPhysicalDeviceDriverProperties,
  sizeOfVkPhysicalDeviceIDProperties,
  sizeOfVkPhysicalDevicePCIBusInfoPropertiesEXT,
  sizeOfVkPhysicalDeviceProperties,
  sizeOfVkPhysicalDeviceProperties2,
  VK_API_VERSION_1_2,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
  VK_UUID_SIZE,
} from "../../../gen/native_gen.ts";

/** The facts that decide the order of physical devices and which are hidden. */
export interface DeviceFacts {
  /** VkPhysicalDeviceType. */
  readonly deviceType: number;
  /** VkPhysicalDeviceProperties.vendorID. */
  readonly vendorID: number;
  /** VkPhysicalDeviceProperties.deviceID. */
  readonly deviceID: number;
  /** VkDriverId; `undefined` if the driver does not report it. */
  readonly driverID?: number;
  /** Domain, bus, device and function; `undefined` if the device is not on a PCI bus or does not report it. */
  readonly pci?: readonly number[];
}

const PROPERTIES = offsetsOfVkPhysicalDeviceProperties, INNER = offsetsOfVkPhysicalDeviceProperties2.properties;
const PCI_INFO = offsetsOfVkPhysicalDevicePCIBusInfoPropertiesEXT, IDS = offsetsOfVkPhysicalDeviceIDProperties;
/** Structs of queries: the structure type and the size; and where a query may have them. */
const PROPERTIES_2 = {
  sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
  size: sizeOfVkPhysicalDeviceProperties2,
};
const ID = {
  sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
  size: sizeOfVkPhysicalDeviceIDProperties,
};
const PCI = {
  sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT,
  size: sizeOfVkPhysicalDevicePCIBusInfoPropertiesEXT,
  extension: "VK_EXT_pci_bus_info",
};
const DRIVER = {
  sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
  size: sizeOfVkPhysicalDeviceDriverProperties,
  extension: "VK_KHR_driver_properties",
  since: VK_API_VERSION_1_2,
};

/** The driver's own query. Under the name of Vulkan 1.1 an application of 1.0 finds an emulation. */
const PROPERTIES_QUERY = "vkGetPhysicalDeviceProperties2KHR";

/** Offsets of the numbers of a PCI device, in order. */
const PCI_PLACES = [PCI_INFO.pciDomain, PCI_INFO.pciBus, PCI_INFO.pciDevice, PCI_INFO.pciFunction];

/** The identity of a physical device. */
export interface DeviceId {
  /** VkPhysicalDeviceIDProperties.deviceUUID, 16 bytes. */
  readonly deviceUUID: Uint8Array;
  /** VkPhysicalDeviceIDProperties.driverUUID, 16 bytes. */
  readonly driverUUID: Uint8Array;
  /** VkPhysicalDeviceProperties.driverVersion. */
  readonly driverVersion: number;
}

/** Asks a member for the identity of one of its physical devices; `undefined` if the driver cannot tell. */
export function readDeviceId(table: MemberTable, gpu: bigint): DeviceId | undefined {
  const query = table.get(PROPERTIES_QUERY);
  if (query === 0n) return undefined;
  return inFrame((memory) => {
    const at = memory.alloc(PROPERTIES_2.size), idAt = chained(ID, 0);
    begin(at, PROPERTIES_2, idAt);
    invokeAddress(query, "v:qq", [gpu, memory.address(at)]);
    return {
      deviceUUID: memory.bytes.slice(idAt + IDS.deviceUUID, idAt + IDS.deviceUUID + VK_UUID_SIZE),
      driverUUID: memory.bytes.slice(idAt + IDS.driverUUID, idAt + IDS.driverUUID + VK_UUID_SIZE),
      driverVersion: memory.view.getUint32(at + INNER + PROPERTIES.driverVersion, true),
    };
  });
}

/** Asks a member for the name of the driver of one of its physical devices; `undefined` if the driver cannot tell. */
export function readDriverName(table: MemberTable, gpu: bigint): string | undefined {
  const query = table.get(PROPERTIES_QUERY);
  if (query === 0n) return undefined;
  return inFrame((memory) => {
    const version = memory.view.getUint32(readProperties(table, gpu), true);
    if (!hasDriver(version, extensionsOf(table, gpu))) return undefined;
    const at = memory.alloc(PROPERTIES_2.size), driverAt = chained(DRIVER, 0);
    begin(at, PROPERTIES_2, driverAt);
    invokeAddress(query, "v:qq", [gpu, memory.address(at)]);
    return readCString(memory.address(driverAt + offsetsOfVkPhysicalDeviceDriverProperties.driverName));
  });
}

/** Returns the names of the extensions of a member's own physical device. */
function extensionsOf(table: MemberTable, gpu: bigint): ReadonlySet<string> {
  const found = deviceExtensions(table.get("vkEnumerateDeviceExtensionProperties"), gpu);
  return new Set(typeof found === "number" ? [] : found.map(({ extensionName }) => extensionName));
}

function hasDriver(version: number, extensions: ReadonlySet<string>): boolean {
  return version >= DRIVER.since || extensions.has(DRIVER.extension);
}

/** Returns the name of a member's own physical device. */
export function readName(table: MemberTable, gpu: bigint): string {
  return inFrame((memory) => readCString(memory.address(readProperties(table, gpu) + PROPERTIES.deviceName)));
}

/** Reads VkPhysicalDeviceProperties into the arena; returns their offset. */
function readProperties(table: MemberTable, gpu: bigint): number {
  const memory = arena(), at = memory.alloc(sizeOfVkPhysicalDeviceProperties);
  invokeAddress(table.get("vkGetPhysicalDeviceProperties"), "v:qq", [gpu, memory.address(at)]);
  return at;
}

/** Asks a member about one of its own physical devices. */
export function readFacts(table: MemberTable, gpu: bigint): DeviceFacts {
  return inFrame(({ view }) => {
    const at = readProperties(table, gpu);
    return {
      deviceType: view.getUint32(at + PROPERTIES.deviceType, true),
      vendorID: view.getUint32(at + PROPERTIES.vendorID, true),
      deviceID: view.getUint32(at + PROPERTIES.deviceID, true),
      ...readChained(table, gpu, view.getUint32(at, true)),
    };
  });
}

/** Reads the facts of vkGetPhysicalDeviceProperties2, if the instance has the command. */
function readChained(table: MemberTable, gpu: bigint, version: number): Pick<DeviceFacts, "driverID" | "pci"> {
  const query = table.get(PROPERTIES_QUERY);
  if (query === 0n) return {};
  const extensions = extensionsOf(table, gpu);
  const pci = extensions.has(PCI.extension), driver = hasDriver(version, extensions);
  const memory = arena(), { view } = memory, at = memory.alloc(PROPERTIES_2.size);
  const pciAt = chained(PCI, 0), driverAt = chained(DRIVER, pci ? pciAt : 0);
  begin(at, PROPERTIES_2, driver ? driverAt : pci ? pciAt : 0);
  invokeAddress(query, "v:qq", [gpu, memory.address(at)]);
  return {
    ...(driver && { driverID: view.getUint32(driverAt + offsetsOfVkPhysicalDeviceDriverProperties.driverID, true) }),
    ...(pci && { pci: PCI_PLACES.map((place) => view.getUint32(pciAt + place, true)) }),
  };
}

function chained(struct: { sType: number; size: number }, next: number): number {
  return begin(arena().alloc(struct.size), struct, next);
}

function begin(at: number, { sType, size }: { sType: number; size: number }, next: number): number {
  const memory = arena();
  memory.bytes.fill(0, at, at + size);
  memory.view.setUint32(at, sType, true);
  memory.view.setBigUint64(at + 8, memory.address(next), true);
  return at;
}
