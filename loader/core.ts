/**
 * Vulkan on a driver that is named, with layers in TypeScript, and nothing
 * else: the light way in. {@linkcode loadVulkan} gives the same objects as that
 * of `@pumice/gfx/loader`, of the same types. What is not here: the search for
 * drivers and layers, several drivers behind one, native layers, the rules of
 * Android's and Linux's loaders, and installing the loader for native code.
 *
 * Needs `--allow-ffi`; naming a manifest takes `--allow-read`, too.
 *
 * @example A buffer on a driver
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx/core";
 *
 * using vulkan = loadVulkan({ driver: "/usr/lib/x86_64-linux-gnu/libvulkan_lvp.so" });
 * using instance = vulkan.vkCreateInstance({});
 * const [gpu] = instance.vkEnumeratePhysicalDevices();
 * using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
 * const buffer = device.vkCreateBuffer({ size: 65536n, usage: 2 });
 * device.vkDestroyBuffer(buffer);
 * ```
 *
 * @module
 */
export { type CoreOptions, loadVulkan } from "./api/load_core.ts";
export type { Vulkan } from "./api/vulkan.ts";
export type { Installed } from "./api/installed.ts";
export type { DirectDriver } from "./driver/driver.ts";
export type { Finding, FindingSubject } from "./driver/finding.ts";
export type { Host } from "./driver/host.ts";
export { DriverError, type DriverErrorCode, VulkanError } from "./error.ts";
export { GraphicsError, type GraphicsErrorParts } from "../ffi/error.ts";
export type { HandleName, StructTypes } from "./gen/names_gen.ts";
export { defineLayer } from "./layers/define/define_layer.ts";
export type {
  CreateInfo,
  DefinedLayer,
  DeviceChanges,
  InfoName,
  KeyedHandle,
  LayerContext,
  LayerDefinition,
  NewObject,
  SomeOf,
  StateMakers,
  States,
  StateTypes,
} from "./layers/define/definition.ts";
export type {
  AnyHook,
  ForeignCall,
  ForeignThreadPolicy,
  Hook,
  Layer,
  LayerExtension,
  LayerPlace,
  NewCommand,
  RawCommand,
} from "./layer.ts";
