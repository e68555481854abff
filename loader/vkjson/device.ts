import type { VkPhysicalDevice } from "../types.ts";
import { VK_API_VERSION_MAJOR, VK_API_VERSION_MINOR } from "../version.ts";
import { DeviceStructs } from "./device_structs.ts";
import { externalFencePairs, externalSemaphorePairs } from "./external.ts";
import { formatPairs } from "./formats.ts";
import { type JsonObject, structJson } from "./json_value.ts";
import type { NamedStruct, Schema } from "./schema.ts";

/** How devices are queried. */
export interface Asking {
  /** The blocks to write. */
  readonly schema: Schema;
  /** Whether to repeat AOSP's mistakes. */
  readonly aosp: boolean;
  /** The minor version of the instance. */
  readonly minor: number;
  /** Whether the instance has VK_KHR_get_physical_device_properties2. */
  readonly hasProperties2: boolean;
  /** Whether the driver has a command. An unfinished driver may lack commands that its version requires. */
  has(command: string): boolean;
}

/** Returns a physical device as vkjson writes it; empty if the driver lacks the necessary query. */
export function deviceJson(gpu: VkPhysicalDevice, asking: Asking): JsonObject {
  const properties = gpu.vkGetPhysicalDeviceProperties(), minor = minorOf(properties.apiVersion, asking);
  const extensions = listed(
    asking,
    "EnumerateDeviceExtensionProperties",
    () => gpu.vkEnumerateDeviceExtensionProperties(null),
  );
  const structs = structsOf(gpu, minor, asking), names = extensions.map(({ extensionName }) => extensionName);
  return {
    ...structs && minor >= 1 ? versionBlocks(gpu, structs, minor, asking) : {},
    properties: structJson("VkPhysicalDeviceProperties", properties),
    ...coreBlocks(gpu, asking),
    extensions: extensions.map((each) => structJson("VkExtensionProperties", each)),
    layers: gpu.vkEnumerateDeviceLayerProperties().map((each) => structJson("VkLayerProperties", each)),
    formats: listed(asking, "GetPhysicalDeviceFormatProperties", () => formatPairs(gpu, minor, asking.aosp)),
    ...structs ? extensionBlocks(structs, names, asking.schema) : {},
  };
}

function coreBlocks(gpu: VkPhysicalDevice, { has }: Asking): JsonObject {
  const told = (command: string, struct: string, ask: () => object) =>
    has(`vkGetPhysicalDevice${command}`) ? structJson(struct, ask()) : {};
  return {
    features: told("Features", "VkPhysicalDeviceFeatures", () => gpu.vkGetPhysicalDeviceFeatures()),
    memory: told(
      "MemoryProperties",
      "VkPhysicalDeviceMemoryProperties",
      () => gpu.vkGetPhysicalDeviceMemoryProperties(),
    ),
    queues: gpu.vkGetPhysicalDeviceQueueFamilyProperties().map((each) => structJson("VkQueueFamilyProperties", each)),
  };
}

function listed<T>({ has }: Asking, command: string, ask: () => T[]): T[] {
  return has(`vk${command}`) ? ask() : [];
}

/** The usable minor version: the lower of the device's and the instance's. */
function minorOf(apiVersion: number, { minor }: Asking): number {
  const own = VK_API_VERSION_MAJOR(apiVersion) > 1 ? Infinity : VK_API_VERSION_MINOR(apiVersion);
  return Math.min(own, minor);
}

/** Returns `undefined` for a device of 1.0 that can be queried only for that version's structs. */
function structsOf(gpu: VkPhysicalDevice, minor: number, asking: Asking): DeviceStructs | undefined {
  const suffix = minor >= 1 ? "" : "KHR";
  if (minor < 1 && !asking.hasProperties2) return undefined;
  const has = ["Properties2", "Features2"].every((what) => asking.has(`vkGetPhysicalDevice${what}${suffix}`));
  return has ? new DeviceStructs(gpu, suffix) : undefined;
}

function versionBlocks(gpu: VkPhysicalDevice, structs: DeviceStructs, minor: number, asking: Asking): JsonObject {
  const { schema } = asking, cores = schema.cores.filter(({ from }) => from <= minor);
  return {
    ...Object.fromEntries(cores.map(({ minor }) => [`core${minor}`, {
      features: structs.get(`VkPhysicalDeviceVulkan${minor}Features`),
      properties: structs.get(`VkPhysicalDeviceVulkan${minor}Properties`),
    }])),
    ...blocks(structs, schema.since11),
    externalFenceProperties: listed(asking, "GetPhysicalDeviceExternalFenceProperties", () => externalFencePairs(gpu)),
    externalSemaphoreProperties: listed(
      asking,
      "GetPhysicalDeviceExternalSemaphoreProperties",
      () => externalSemaphorePairs(gpu),
    ),
  };
}

function extensionBlocks(structs: DeviceStructs, extensions: readonly string[], schema: Schema): JsonObject {
  const known = extensions.map((name) => [name, schema.structsOf(name)] as const);
  return Object.fromEntries(
    known.filter(([, named]) => named.length > 0).map(([name, named]) => [name, blocks(structs, named)]),
  );
}

function blocks(structs: DeviceStructs, named: readonly NamedStruct[]): JsonObject {
  return Object.fromEntries(named.map(([key, struct]) => [key, structs.get(struct)]));
}
