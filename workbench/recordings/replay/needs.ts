import type { VkImageCreateInfo as Image, VkPhysicalDevice } from "../../../loader/gen/types_core_gen.ts";
import type { Vulkan } from "../../../loader/api/vulkan.ts";
import { layoutOf, nameOfSType } from "../../../loader/codec/layout/layout.ts";
import type { StructObject } from "../../../loader/codec/values/convert.ts";
import { resultName, VulkanError } from "../../../loader/error.ts";
import { featuresIn } from "../record/captured_addresses.ts";
import type { RecordedCall } from "../record/line.ts";
import { type Meaning, parseValue } from "./parse.ts";
import type { DeviceNeeds, Survey } from "./survey.ts";

/** Extensions of window systems, which a replay does not need. */
const WINDOWS = /^VK_[A-Z]+_(\w*surface\w*|\w*swapchain\w*|\w*present\w*|\w*display\w*|incremental_present)$/;
/** Features of those extensions. */
const WINDOW_FEATURES = /^VkPhysicalDevice\w*(Present|Swapchain)\w*Features/;
/** Extensions without which a replay is the same: their functions are not recorded, or are refused if used. */
const DISPENSABLE = /^VK_[A-Z]+_(debug_\w+|validation_\w+|layer_settings|tooling_info|external_\w+)$/;
const VULKAN_1_1 = 1 << 22 | 1 << 12;
const NOTHING: Meaning = {
  handle: () => 1n,
  data: () => new Uint8Array(),
  family: (index) => index,
  addresses: { address: (recorded) => recorded, contents: (bytes) => bytes },
};

/** Returns the extensions with which a replay creates an instance or a device. */
export function extensionsOf({ args }: RecordedCall, available: ReadonlySet<string>): string[] {
  const names: string[] = args.pCreateInfo.ppEnabledExtensionNames ?? [];
  return names.filter((name) => !WINDOWS.test(name) && (available.has(name) || !DISPENSABLE.test(name)));
}

/** Returns the create info of a device without the features of window systems. */
export function withoutWindows(info: StructObject): StructObject {
  const chain = (info.pNext ?? []) as StructObject[];
  return { ...info, pNext: chain.filter(({ sType }) => !WINDOW_FEATURES.test(nameOfSType(sType as number) ?? "")) };
}

/** Returns what the loader and its driver lack for the instances of a recording. */
export function instanceLacks(vulkan: Vulkan, { instances }: Survey): string[] {
  const available = instanceExtensions(vulkan);
  return instances.flatMap((call) => missing(call, available));
}

/** Returns the names of the available instance extensions. */
export function instanceExtensions(vulkan: Vulkan): ReadonlySet<string> {
  return new Set(vulkan.vkEnumerateInstanceExtensionProperties(null).map(({ extensionName }) => extensionName));
}

/** Returns the names of the available device extensions. */
export function deviceExtensions(gpu: VkPhysicalDevice): ReadonlySet<string> {
  return new Set(gpu.vkEnumerateDeviceExtensionProperties(null).map(({ extensionName }) => extensionName));
}

/** Returns what a physical device lacks for a device and its images: extensions, features, formats. */
export function deviceLacks(gpu: VkPhysicalDevice, { call, instance, images }: DeviceNeeds): string[] {
  return [
    ...missing(call, deviceExtensions(gpu)),
    ...missingFeatures(gpu, call, instance),
    ...new Set([...images.values()].flatMap((info) => missingImage(gpu, info))),
  ];
}

function missing(call: RecordedCall, available: ReadonlySet<string>): string[] {
  return extensionsOf(call, available).filter((name) => !available.has(name));
}

function missingFeatures(gpu: VkPhysicalDevice, { args }: RecordedCall, instance: RecordedCall): string[] {
  const spec = { name: "pCreateInfo", type: "VkDeviceCreateInfo", kind: "struct" } as const;
  const info = withoutWindows(parseValue(spec, args.pCreateInfo, NOTHING) as StructObject);
  const chain = (info.pNext ?? []) as StructObject[];
  const wanted = chain.filter(({ sType }) => isFeatures(sType as number));
  const core = { ...info.pEnabledFeatures as object, ...wanted.find(({ features }) => features)?.features as object };
  const rest = wanted.filter(({ features }) => !features);
  const lacks = unlike(core, gpu.vkGetPhysicalDeviceFeatures() as unknown as StructObject);
  if (rest.length === 0) return lacks;
  const isCore = (instance.args.pCreateInfo.pApplicationInfo?.apiVersion ?? 0) >= VULKAN_1_1;
  const ask = `vkGetPhysicalDeviceFeatures2${isCore ? "" : "KHR"}` as "vkGetPhysicalDeviceFeatures2";
  const { pNext } = gpu[ask](rest.map(({ sType }) => sType) as never) as unknown as { pNext: StructObject[] };
  return [...lacks, ...rest.flatMap((struct, index) => unlike(struct, pNext[index]))];
}

function isFeatures(sType: number): boolean {
  return /^VkPhysicalDevice\w*Features\w*$/.test(nameOfSType(sType) ?? "");
}

/** Returns the wanted features that are missing. */
function unlike(wanted: object, there: StructObject): string[] {
  return Object.entries(wanted).filter(([name, value]) =>
    value === true && there[name] !== true && name !== "bufferDeviceAddressCaptureReplay"
  ).map(([name]) => name);
}

/** Whether a physical device can give buffers the addresses that a device of the recording has had: it is the same. */
export function canGiveAgain(gpu: VkPhysicalDevice, { call, facts }: DeviceNeeds): boolean {
  const link = featuresIn(call.args.pCreateInfo), sType = link && layoutOf(`${link.sType}`).sType;
  if (link?.bufferDeviceAddressCaptureReplay !== true) return false;
  if (facts.deviceName !== gpu.vkGetPhysicalDeviceProperties().deviceName) return false;
  const { pNext } = gpu.vkGetPhysicalDeviceFeatures2([sType] as never) as unknown as { pNext: StructObject[] };
  return pNext[0].bufferDeviceAddressCaptureReplay === true;
}

function missingImage(
  gpu: VkPhysicalDevice,
  { format, imageType = 0, tiling = 0, usage = 0, flags = 0 }: Partial<Image>,
) {
  try {
    gpu.vkGetPhysicalDeviceImageFormatProperties(format!, imageType, tiling, usage, flags);
    return [];
  } catch (error) {
    if (!(error instanceof VulkanError)) throw error;
    return [`images of format ${format}, usage ${usage}, tiling ${tiling} (${resultName(error.code)})`];
  }
}
