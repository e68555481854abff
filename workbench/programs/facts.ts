import { VK_API_VERSION_1_1, VK_API_VERSION_1_3 } from "../../loader/gen/enums_core_gen.js";
import { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES } from "../../loader/gen/enums_stype_gen.js";
import type { VkPhysicalDevice } from "../../loader/gen/types_core_gen.ts";
import type { Vulkan } from "../../loader/api/vulkan.ts";
import { VulkanError } from "../../loader/error.ts";
import { FEATURE, USAGE } from "./bits.ts";
import { allFormats, type Format, isColor } from "./formats.ts";

/** The abilities of one or several drivers, as far as a generated program may use them. */
export interface FuzzFacts {
  /** The version of Vulkan, 1.1 at least. */
  readonly apiVersion: number;
  /** The features of a format's optimally tiled images, by VkFormat; what no driver has is left out. */
  readonly formats: Readonly<Record<number, number>>;
  /** The features of a format in buffers, by VkFormat. */
  readonly buffers: Readonly<Record<number, number>>;
  /** The numbers of samples of a format's attachments, as VkSampleCountFlags, by VkFormat. */
  readonly samples: Readonly<Record<number, number>>;
  /** The names of the features that all have. */
  readonly features: readonly string[];
}

/** The features that a program may use, in core structs. */
const CORE = ["independentBlend", "occlusionQueryPrecise", "drawIndirectFirstInstance", "multiDrawIndirect"] as const;
const NEWER = ["dynamicRendering", "synchronization2"] as const;

/**
 * Asks the first physical device of a loader what it can do.
 *
 * @throws {TypeError} if there is none, or it is older than Vulkan 1.1.
 *
 * @example
 * ```ts ignore
 * import { fuzzFacts } from "@pumice/gfx/fuzz";
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using vulkan = loadVulkan();
 * console.log(fuzzFacts(vulkan).features);
 * ```
 */
export function fuzzFacts(vulkan: Vulkan): FuzzFacts {
  const loader = Math.min(vulkan.vkEnumerateInstanceVersion(), VK_API_VERSION_1_3);
  using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: loader } });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const apiVersion = gpu === undefined ? 0 : Math.min(gpu.vkGetPhysicalDeviceProperties().apiVersion, loader);
  if (apiVersion < VK_API_VERSION_1_1) {
    throw new TypeError("Cannot make programs for this driver: it has no device of Vulkan 1.1; name another driver");
  }
  const all = allFormats().map((format) => [format, propertiesOf(gpu, format)] as const);
  const known = all.map(([format, { optimalTilingFeatures }]) => [format, optimalTilingFeatures] as const)
    .filter(([, bits]) => bits);
  return {
    apiVersion: apiVersion >= VK_API_VERSION_1_3 ? VK_API_VERSION_1_3 : VK_API_VERSION_1_1,
    formats: Object.fromEntries(known.map(([{ value }, bits]) => [value, bits])),
    buffers: Object.fromEntries(all.map(([{ value }, { bufferFeatures }]) => [value, bufferFeatures])),
    samples: Object.fromEntries(known.map(([format, bits]) => [format.value, samplesOf(gpu, format, bits)])),
    features: namesOf(gpu, apiVersion),
  };
}

/** Refuses what {@linkcode fuzzFacts} did not return: facts of an earlier version, too. */
export function checkFacts(where: string, facts: FuzzFacts): void {
  const { formats, buffers, samples, features } = Object(facts) as Partial<FuzzFacts>;
  if ([formats, buffers, samples].every((each) => Object(each) === each) && Array.isArray(features)) return;
  throw new TypeError(`${where} was given no facts of a driver; give what fuzzFacts() or commonFacts() returns`);
}

/**
 * Returns what all drivers can do.
 *
 * @example
 * ```ts ignore
 * import { commonFacts, fuzzFacts, generateProgram } from "@pumice/gfx/fuzz";
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using one = loadVulkan({ driver: "/usr/lib/libvulkan_one.so" });
 * using other = loadVulkan({ driver: "/usr/lib/libvulkan_other.so" });
 * const program = generateProgram(commonFacts([fuzzFacts(one), fuzzFacts(other)]), { seed: 1 });
 * console.log(program.actions);
 * ```
 */
export function commonFacts(all: readonly FuzzFacts[]): FuzzFacts {
  return all.reduce((one, other) => ({
    apiVersion: Math.min(one.apiVersion, other.apiVersion),
    formats: commonBits(one.formats, other.formats),
    buffers: commonBits(one.buffers, other.buffers),
    samples: commonBits(one.samples, other.samples),
    features: one.features.filter((name) => other.features.includes(name)),
  }));
}

function commonBits(one: Readonly<Record<number, number>>, other: Readonly<Record<number, number>>) {
  const both = Object.keys(one).map(Number).filter((key) => other[key] !== undefined && (one[key] & other[key]) !== 0);
  return Object.fromEntries(both.map((key) => [key, one[key] & other[key]]));
}

function propertiesOf(gpu: VkPhysicalDevice, { value }: Format) {
  return gpu.vkGetPhysicalDeviceFormatProperties(value as never);
}

function samplesOf(gpu: VkPhysicalDevice, format: Format, bits: number): number {
  const attachment = isColor(format) ? FEATURE.color : FEATURE.depthStencil;
  if ((bits & attachment) === 0) return 1;
  try {
    const usage = USAGE.transfers | (isColor(format) ? USAGE.color : USAGE.depthStencil);
    return gpu.vkGetPhysicalDeviceImageFormatProperties(format.value as never, 1, 0, usage).sampleCounts;
  } catch (error) {
    if (error instanceof VulkanError) return 1;
    throw error;
  }
}

function namesOf(gpu: VkPhysicalDevice, apiVersion: number): string[] {
  const core = gpu.vkGetPhysicalDeviceFeatures(), found: string[] = CORE.filter((name) => core[name]);
  if (apiVersion < VK_API_VERSION_1_3) return found;
  const { pNext: [newer] } = gpu.vkGetPhysicalDeviceFeatures2(
    [VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES] as never,
  ) as unknown as {
    pNext: Record<string, boolean>[];
  };
  return [...found, ...NEWER.filter((name) => newer[name])];
}
