import type { StructObject } from "../codec/values/convert.ts";

/** What a physical device says of itself, asked when it is wanted. */
export interface DeviceFacts {
  /** VkPhysicalDeviceProperties.deviceName. */
  readonly name: string;
  /** VkPhysicalDeviceType; 4 is a CPU. */
  readonly type: number;
  /** Packed, as it is reported. */
  readonly apiVersion: number;
  /** The driver's own number. */
  readonly driverVersion: number;
  /** PCI vendor, or a VkVendorId. */
  readonly vendorId: number;
  /** The vendor's number of the device. */
  readonly deviceId: number;
  /** Extensions of the device and of the instance by name, with their revisions. */
  readonly extensions: ReadonlyMap<string, number>;
  /** The device extensions alone. */
  readonly deviceExtensions: readonly string[];
  /** Whether an extension that is shown comes from the loader's window system. */
  isProvided(extension: string): boolean;
  /** A struct of features or properties by its C name; `undefined` where the device has no query that takes it. */
  struct(name: string): StructObject | undefined;
  /** What a VkFormat is good for, by VkFormatProperties3 where there is that. */
  format(format: number): FormatFacts;
  /** The queue families. */
  readonly queueFamilies: readonly StructObject[];
  /** VkExternalSemaphoreFeatureFlags of a handle type; 0 where that cannot be asked. */
  semaphoreFeatures(handleType: number): number;
  /** VkExternalFenceFeatureFlags of a handle type; 0 where that cannot be asked. */
  fenceFeatures(handleType: number): number;
  /** Of these commands, those that have no address on a device with these extensions. */
  unresolved(commands: readonly string[], extensions?: readonly string[]): UnresolvedCommands;
}

/** VkFormatFeatureFlags2 of a format. */
export interface FormatFacts {
  /** VkFormatProperties3.linearTilingFeatures */
  readonly linearTilingFeatures: bigint;
  /** VkFormatProperties3.optimalTilingFeatures */
  readonly optimalTilingFeatures: bigint;
  /** VkFormatProperties3.bufferFeatures */
  readonly bufferFeatures: bigint;
}

/** What came of asking for addresses. */
export interface UnresolvedCommands {
  /** The commands that have none. */
  readonly commands: readonly string[];
  /** Why there was no device to ask; `undefined` when there was. */
  readonly problem?: string;
}

/** What a driver says of itself. */
export interface DriverFacts {
  /** The physical devices. */
  readonly devices: readonly DeviceFacts[];
  /** Packed: what vkEnumerateInstanceVersion says. */
  readonly instanceVersion: number;
  /** Why there is no instance; `undefined` when there is one. */
  readonly problem?: string;
}

/** A features or properties struct; the outcome of a missing query reads as all false or zero. */
export function structOf(device: DeviceFacts, name: string): StructObject {
  return device.struct(name) ?? {};
}

/** Whether a member of VkPhysicalDeviceFeatures is true. */
export function hasFeature(device: DeviceFacts, name: string): boolean {
  return structOf(device, "VkPhysicalDeviceFeatures")[name] === true;
}

/** Whether a member of a features struct is true. */
export function hasFeatureOf(device: DeviceFacts, struct: string, name: string): boolean {
  return structOf(device, struct)[name] === true;
}

/** VkPhysicalDeviceLimits. */
export function limitsOf(device: DeviceFacts): StructObject {
  return (structOf(device, "VkPhysicalDeviceProperties").limits ?? {}) as StructObject;
}
