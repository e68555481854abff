import { arena, inFrame } from "../../../../ffi/arena.ts";
import { readCString } from "../../../../ffi/cstring.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { deviceExtensions } from "../../../chain/bottom/driver_instance.ts";
import type { MemberTable } from "../members/member_table.ts";

/** The facts that decide the order of physical devices and which are hidden. */
export interface DeviceFacts {
  /** VkPhysicalDeviceProperties.deviceName. */
  readonly deviceName: string;
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

/**
 * VkPhysicalDeviceProperties: its size and the offsets of its members.
 * VkPhysicalDeviceProperties2 has it at byte 16.
 */
const PROPERTIES = { size: 824, driverVersion: 4, vendorID: 8, deviceID: 12, deviceType: 16, deviceName: 20 };
/** VkPhysicalDevicePCIBusInfoPropertiesEXT and VkPhysicalDeviceDriverProperties: structure type, size, first member at 16. */
const PCI = { sType: 1_000_212_000, size: 32, extension: "VK_EXT_pci_bus_info" };
const DRIVER = { sType: 1_000_196_000, size: 536, extension: "VK_KHR_driver_properties", since: 0x402000 };
const ID = { sType: 1_000_071_004, size: 64 };
const PROPERTIES_2 = { sType: 1_000_059_001, size: 16 + PROPERTIES.size };

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
  const query = table.get("vkGetPhysicalDeviceProperties2");
  if (query === 0n) return undefined;
  return inFrame((memory) => {
    const at = memory.alloc(PROPERTIES_2.size), idAt = chained(ID, 0);
    begin(at, PROPERTIES_2, idAt);
    invokeAddress(query, "v:qq", [gpu, memory.address(at)]);
    return {
      deviceUUID: memory.bytes.slice(idAt + 16, idAt + 32),
      driverUUID: memory.bytes.slice(idAt + 32, idAt + 48),
      driverVersion: memory.view.getUint32(at + 16 + PROPERTIES.driverVersion, true),
    };
  });
}

/** Asks a member about one of its own physical devices. */
export function readFacts(table: MemberTable, gpu: bigint): DeviceFacts {
  return inFrame((memory) => {
    const at = memory.alloc(PROPERTIES.size), { view } = memory;
    invokeAddress(table.get("vkGetPhysicalDeviceProperties"), "v:qq", [gpu, memory.address(at)]);
    return {
      deviceName: readCString(memory.address(at + PROPERTIES.deviceName)),
      deviceType: view.getUint32(at + PROPERTIES.deviceType, true),
      vendorID: view.getUint32(at + PROPERTIES.vendorID, true),
      deviceID: view.getUint32(at + PROPERTIES.deviceID, true),
      ...readChained(table, gpu, view.getUint32(at, true)),
    };
  });
}

/** Reads the facts of vkGetPhysicalDeviceProperties2, if the instance has the command. */
function readChained(table: MemberTable, gpu: bigint, version: number): Pick<DeviceFacts, "driverID" | "pci"> {
  const query = table.get("vkGetPhysicalDeviceProperties2");
  if (query === 0n) return {};
  const enumerate = table.get("vkEnumerateDeviceExtensionProperties");
  const found = deviceExtensions(enumerate, gpu), listed = typeof found === "number" ? [] : found;
  const has = (name: string) => listed.some(({ extensionName }) => extensionName === name);
  const pci = has(PCI.extension), driver = version >= DRIVER.since || has(DRIVER.extension);
  const memory = arena(), { view } = memory, at = memory.alloc(PROPERTIES_2.size);
  const pciAt = chained(PCI, 0), driverAt = chained(DRIVER, pci ? pciAt : 0);
  begin(at, PROPERTIES_2, driver ? driverAt : pci ? pciAt : 0);
  invokeAddress(query, "v:qq", [gpu, memory.address(at)]);
  return {
    ...(driver && { driverID: view.getUint32(driverAt + 16, true) }),
    ...(pci && { pci: [0, 4, 8, 12].map((each) => view.getUint32(pciAt + 16 + each, true)) }),
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
