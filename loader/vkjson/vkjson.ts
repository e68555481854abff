import { checkOptions, type OptionRules } from "../../ffi/check_options.ts";
import { VULKAN_RULES } from "../api/options.ts";
import { fullestInstance } from "../api/fullest_instance.ts";
import { loadVulkan, requireDriver } from "../api/load_vulkan.ts";
import type { Vulkan } from "../api/vulkan.ts";
import type { VulkanOptions } from "../options.ts";
import type { AndroidRelease } from "../driver/android/options.ts";
import type { VkInstance, VkPhysicalDevice } from "../types.ts";
import { VK_API_VERSION_MINOR } from "../version.ts";
import { type Asking, deviceJson } from "./device.ts";
import { type JsonObject, structJson } from "./json_value.ts";
import { Schema } from "./schema.ts";
import { VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR } from "../gen/native_gen.ts";

/** Options of {@linkcode vkjson}. */
export interface VkjsonOptions {
  /**
   * The release of Android to follow. 14 and 15 have the blocks up to Vulkan
   * 1.3 and three extensions, 16 has more and renames two blocks, 17 has all
   * extensions. Default: the names of 14 and all later blocks.
   */
  readonly release?: AndroidRelease;
  /**
   * `"aosp"` repeats AOSP's mistakes: the `devices` of a group continue those
   * of the group before, formats of Vulkan 1.3 and later are missing, and in
   * releases before 16 a device of Vulkan 1.4 is an empty object.
   * Default: they are mended.
   */
  readonly quirks?: "aosp";
}

const RULES: OptionRules<VkjsonOptions> = {
  release: VULKAN_RULES.release,
  quirks: VULKAN_RULES.quirks,
};

/** The output of Android's `cmd gpu vkjson`. Members are those of the C structs; see {@linkcode vkjson}. */
export interface VkjsonInstance {
  /** vkEnumerateInstanceVersion, from 1.2 on. */
  apiVersion?: number;
  /** From 1.1 on: `{ devices, subsetAllocation }`. `devices` has indices into the report's `devices`. */
  deviceGroups?: JsonObject[];
  /** `{ properties, extensions }` of each layer. */
  layers: JsonObject[];
  /** VkExtensionProperties of the instance. */
  extensions: JsonObject[];
  /** Each physical device. */
  devices: JsonObject[];
  /** The program that made the report. */
  _comment: string;
}

const PROPERTIES2 = "VK_KHR_get_physical_device_properties2", PORTABILITY = "VK_KHR_portability_enumeration";

/**
 * Returns the capabilities of a driver, or of all drivers, in the schema of
 * Android's vkjson: what the loader offers, its groups and devices, and for
 * each device properties, features, memory, queues, extensions, formats, a
 * block for each of its versions and one for each extension with structs of its
 * own.
 *
 * 64-bit numbers are `"0x%016x"`, booleans 0 and 1. Formats and external handle
 * types are `[number, {…}]` pairs; those without any capability are left out.
 *
 * @throws {DriverError} if a driver must be opened and cannot be.
 * @throws {VulkanError} if a command fails.
 *
 * @example What a driver says of itself
 * ```ts ignore
 * import { vkjson } from "@pumice/gfx/vkjson";
 *
 * const { devices } = vkjson({ driver: "/vendor/lib64/hw/vulkan.adreno.so" });
 * Deno.writeTextFileSync("vkjson.json", JSON.stringify({ devices }, null, 2));
 * ```
 */
export function vkjson(vulkan: Vulkan | VulkanOptions = {}, options: VkjsonOptions = {}): VkjsonInstance {
  checkOptions("vkjson()", options, RULES);
  if ("explain" in vulkan) return instanceJson(vulkan, options);
  using loader = requireDriver(loadVulkan(vulkan));
  return instanceJson(loader, options);
}

function instanceJson(vulkan: Vulkan, { release, quirks }: VkjsonOptions): VkjsonInstance {
  const apiVersion = vulkan.vkEnumerateInstanceVersion();
  const offered = vulkan.vkEnumerateInstanceExtensionProperties(null), aosp = quirks === "aosp";
  const wanted = [PROPERTIES2, PORTABILITY].filter((name) => offered.some((each) => each.extensionName === name));
  const made = fullestInstance(vulkan, {
    flags: wanted.includes(PORTABILITY) ? VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR : 0,
    pApplicationInfo: { pApplicationName: "vkjson" },
    ppEnabledExtensionNames: wanted,
  });
  using instance = made.instance;
  const minor = VK_API_VERSION_MINOR(made.apiVersion);
  const gpus = instance.vkEnumeratePhysicalDevices();
  const asking: Asking = {
    schema: new Schema(release),
    aosp,
    minor,
    hasProperties2: wanted.includes(PROPERTIES2),
    has: (command) => instance.vkGetInstanceProcAddr(command) !== 0n,
  };
  return {
    ...VK_API_VERSION_MINOR(apiVersion) >= 2 ? { apiVersion } : {},
    ...asking.has("vkEnumeratePhysicalDeviceGroups") ? { deviceGroups: groups(instance, gpus, aosp) } : {},
    layers: layers(vulkan),
    extensions: offered.map((each) => structJson("VkExtensionProperties", each)),
    devices: gpus.map((gpu) => emptied(deviceJson(gpu, asking), asking, release)),
    _comment: "What Pumice's loader offers, in the schema of vkjson.",
  };
}

/** Before Android 16, vkjson knew no version above 1.3. */
function emptied(device: JsonObject, { aosp }: Asking, release: AndroidRelease = 14): JsonObject {
  const { apiVersion } = device.properties as { apiVersion: number };
  return aosp && release < 16 && VK_API_VERSION_MINOR(apiVersion) > 3 ? {} : device;
}

function groups(instance: VkInstance, gpus: readonly VkPhysicalDevice[], aosp: boolean): JsonObject[] {
  const before: number[] = [];
  return instance.vkEnumeratePhysicalDeviceGroups().map(({ physicalDevices, subsetAllocation }) => {
    const own = physicalDevices.map((member) => gpus.findIndex((gpu) => gpu.handle === handleOf(member)));
    before.push(...own);
    return { devices: aosp ? [...before] : own, subsetAllocation: Number(subsetAllocation) };
  });
}

/** Structs hold handles as numbers or as objects. */
function handleOf(gpu: VkPhysicalDevice | bigint): bigint {
  return typeof gpu === "bigint" ? gpu : gpu.handle;
}

function layers(vulkan: Vulkan): JsonObject[] {
  return vulkan.vkEnumerateInstanceLayerProperties().map((layer) => ({
    properties: structJson("VkLayerProperties", layer),
    extensions: vulkan.vkEnumerateInstanceExtensionProperties(layer.layerName)
      .map((each) => structJson("VkExtensionProperties", each)),
  }));
}
