import type { VkExtensionProperties } from "../gen/types_core_gen.ts";
import { findExtension } from "../command/registry/extension.ts";
import { Objects } from "./objects.ts";
import type { DriverSpec, ExtensionSpec, PhysicalDeviceSpec } from "./spec.ts";
import { VK_API_VERSION_1_0, VK_API_VERSION_1_3 } from "../gen/native_gen.ts";

/** The state of a driver. */
export interface DriverState {
  /** The options. */
  readonly spec: DriverSpec;
  /** The packed Vulkan version; 1.0 for a driver without vkEnumerateInstanceVersion. */
  readonly apiVersion: number;
  /** The current physical devices. */
  readonly physicalDevices: PhysicalDeviceSpec[];
  /** The objects. */
  readonly objects: Objects;
}

/** Returns the initial state of a driver. */
export function stateOf(spec: DriverSpec): DriverState {
  return {
    spec,
    apiVersion: spec.apiVersion === undefined ? VK_API_VERSION_1_3 : spec.apiVersion ?? VK_API_VERSION_1_0,
    physicalDevices: [...spec.physicalDevices ?? [{}]],
    objects: new Objects(spec.allocates ?? false),
  };
}

/** An extension as the driver lists it. */
export function extensionProperties(extension: ExtensionSpec): VkExtensionProperties {
  if (typeof extension !== "string") return extension;
  return { extensionName: extension, specVersion: findExtension(extension)?.specVersion ?? 1 };
}

/** The names of extensions. */
export function extensionNames(extensions: readonly ExtensionSpec[] = []): string[] {
  return extensions.map((each) => extensionProperties(each).extensionName);
}
