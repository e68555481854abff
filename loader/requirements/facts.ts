import type { StructObject } from "../codec/values/convert.ts";

/** The answers of a physical device. Each is queried when it is needed. */
export interface DeviceFacts {
  /** VkPhysicalDeviceProperties.deviceName. */
  readonly name: string;
  /** VkPhysicalDeviceType; 4 is a CPU. */
  readonly type: number;
  /** The packed version, as reported. */
  readonly apiVersion: number;
  /** The driver's version, in its own format. */
  readonly driverVersion: number;
  /** PCI vendor, or a VkVendorId. */
  readonly vendorId: number;
  /** The vendor's number for the device. */
  readonly deviceId: number;
  /** Extensions of the device and of the instance by name, with their revisions. */
  readonly extensions: ReadonlyMap<string, number>;
  /** Only the device extensions. */
  readonly deviceExtensions: readonly string[];
  /** Whether a listed extension comes from the loader's window system. */
  isProvided(extension: string): boolean;
  /** Returns a struct of features or properties by its C name; `undefined` if the device has no query for it. */
  struct(name: string): StructObject | undefined;
  /** Returns the capabilities of a VkFormat, from VkFormatProperties3 if available. */
  format(format: number): FormatFacts;
  /** The queue families. */
  readonly queueFamilies: readonly StructObject[];
  /** Returns the VkExternalSemaphoreFeatureFlags of a handle type; 0 if there is no query. */
  semaphoreFeatures(handleType: number): number;
  /** Returns the VkExternalFenceFeatureFlags of a handle type; 0 if there is no query. */
  fenceFeatures(handleType: number): number;
  /** Returns those of the commands that have no address on a device with these extensions. */
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

/** The result of querying addresses. */
export interface UnresolvedCommands {
  /** The commands without an address. */
  readonly commands: readonly string[];
  /** The reason why there was no device to query; `undefined` if there was one. */
  readonly problem?: string;
}

/** The answers of a driver. */
export interface DriverFacts {
  /** The physical devices. */
  readonly devices: readonly DeviceFacts[];
  /** The packed result of vkEnumerateInstanceVersion. */
  readonly instanceVersion: number;
  /** The reason why there is no instance; `undefined` if there is one. */
  readonly problem?: string;
}

/** Returns a features or properties struct. If the query is missing, all members read as false or zero. */
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
