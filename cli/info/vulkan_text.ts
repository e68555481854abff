import { ENUM_NAMES } from "../../loader/gen/enum_names_gen.js";
import { Names } from "../../loader/layers/shipped/trace/names.ts";
import { versionText } from "../../loader/version.ts";
import type { JsonObject } from "../../loader/vkjson/json_value.ts";
import type { VkjsonInstance } from "../../loader/vkjson/vkjson.ts";
import { bytesText, extensionLines, inColumns, paragraph, sentence } from "./texts.ts";

const names = new Names(ENUM_NAMES);

/**
 * Returns the contents of vkjson as text, with the revision of the driver's own native buffers for each device for
 * which it is known.
 */
export function vulkanText(
  { devices, deviceGroups = [] }: VkjsonInstance,
  own?: readonly (number | undefined)[],
): string {
  const groups = deviceGroups.filter(({ devices }) => (devices as number[]).length > 1)
    .map(({ devices }) => `Devices ${(devices as number[]).join(", ")} work as a group.`);
  const texts = devices.map((device, index) => deviceText(device, own && { revision: own[index] }));
  return [...texts, ...groups].join("\n\n") || "There is no device.";
}

/** The main facts of a device. */
export interface DeviceSummary {
  readonly deviceName: string;
  /** Such as `discrete-gpu` or `cpu`. */
  readonly deviceType: string;
  /** The version of Vulkan, such as `1.3.230`. */
  readonly apiVersion: string;
  /** The driver's name and its own words on its version, if the driver tells them. */
  readonly driver?: string;
}

/** The main facts of each device, in order. */
export function summaryOf({ devices }: VkjsonInstance): DeviceSummary[] {
  return devices.filter(({ properties }) => properties).map((device) => {
    const { deviceName, deviceType } = device.properties as unknown as { deviceName: string; deviceType: number };
    const name = driver(device).replace(/^, /, "").replace(/, conformance .*$/, "");
    const type = short("VkPhysicalDeviceType", deviceType, "VK_PHYSICAL_DEVICE_TYPE_");
    return { deviceName, deviceType: type, apiVersion: version(device), ...name === "" ? {} : { driver: name } };
  });
}

/** One line for each device, in columns. */
export function summaryText(devices: readonly DeviceSummary[]): string {
  const rows = devices.map(({ deviceName, deviceType, apiVersion, driver = "" }) =>
    [deviceName, deviceType, `Vulkan ${apiVersion}`, driver] as const
  );
  return inColumns(rows) || "There is no device.";
}

function deviceText(device: JsonObject, own: { revision: number | undefined } | undefined): string {
  if (!device.properties) return "A device of Vulkan 1.4, of which vkjson says nothing.";
  const { deviceName } = device.properties as { deviceName: string };
  return [
    deviceName,
    `  Vulkan ${version(device)}, ${kind(device)}${driver(device)}`,
    ...memory(device),
    ...queues(device),
    ...features(device),
    paragraph("Limits", limits(device)),
    paragraph("Formats", formats(device)),
    ...external(device),
    ...own ? [nativeBuffers(own.revision)] : [],
    ...extensions(device),
  ].join("\n");
}

function version({ properties }: JsonObject): string {
  return versionText((properties as { apiVersion: number }).apiVersion);
}

function kind({ properties }: JsonObject): string {
  const { deviceType, vendorID, deviceID } = properties as Record<string, number>;
  const type = short("VkPhysicalDeviceType", deviceType, "VK_PHYSICAL_DEVICE_TYPE_");
  return `${type}, vendor 0x${vendorID.toString(16)}, device 0x${deviceID.toString(16)}`;
}

/** Returns the driver's name, if the driver has one. */
function driver({ VK_KHR_driver_properties, core12 }: JsonObject): string {
  const block = (VK_KHR_driver_properties as JsonObject)?.driverPropertiesKHR ?? (core12 as JsonObject)?.properties;
  const { driverName, driverInfo, conformanceVersion } = (block ?? {}) as JsonObject;
  if (!driverName) return "";
  const conformance = Object.values(conformanceVersion as JsonObject).join(".");
  return `, ${driverName} ${driverInfo}, conformance ${conformance}`.trimEnd();
}

function memory({ memory }: JsonObject): string[] {
  const { memoryHeaps = [], memoryTypes = [] } = memory as { memoryHeaps?: JsonObject[]; memoryTypes?: JsonObject[] };
  return memoryHeaps.map(({ size }, heap) => {
    const types = memoryTypes.filter(({ heapIndex }) => heapIndex === heap)
      .map(({ propertyFlags }) => short("VkMemoryPropertyFlags", propertyFlags as number, "VK_MEMORY_PROPERTY_"));
    const text = `${bytesText(Number(BigInt(size as string)))}: ${types.map((type) => type || "plain").join("; ")}`;
    return sentence(heap === 0 ? "Memory" : "", text);
  });
}

function queues({ queues }: JsonObject): string[] {
  return (queues as JsonObject[]).map(({ queueCount, queueFlags }, index) =>
    sentence(index === 0 ? "Queues" : "", `${queueCount}: ${short("VkQueueFlags", queueFlags as number, "VK_QUEUE_")}`)
  );
}

/** Returns the number of features of each version, and the names of those that are missing. */
function features(device: JsonObject): string[] {
  const versions = ["11", "12", "13", "14"].map((
    minor,
  ) => [`1.${minor[1]}`, (device[`core${minor}`] as JsonObject)?.features]);
  const blocks = [["1.0", device.features], ...versions].filter(([, block]) => block && Object.keys(block).length > 0);
  return blocks.map(([version, block], index) => {
    const all = Object.entries(block as JsonObject),
      missing = all.filter(([, value]) => value === 0).map(([name]) => name);
    const text = `${version}: ${all.length - missing.length} of ${all.length}${missing.length > 0 ? ", without" : ""}`;
    return paragraph(index === 0 ? "Features" : "", [...text.split(" "), ...missing]);
  });
}

/** The limits that programs run into first. */
const LIMITS = [
  "maxImageDimension2D",
  "maxImageDimension3D",
  "maxImageArrayLayers",
  "maxColorAttachments",
  "maxBoundDescriptorSets",
  "maxPerStageDescriptorSampledImages",
  "maxPerStageDescriptorStorageBuffers",
  "maxUniformBufferRange",
  "maxStorageBufferRange",
  "maxPushConstantsSize",
  "maxComputeWorkGroupInvocations",
  "maxComputeSharedMemorySize",
  "maxSamplerAnisotropy",
  "timestampPeriod",
];

function limits({ properties }: JsonObject): string[] {
  const { limits } = properties as { limits: JsonObject };
  return LIMITS.flatMap((name, index) => [name, `${limits[name]}${index < LIMITS.length - 1 ? "," : ""}`]);
}

function formats({ formats }: JsonObject): string[] {
  const all = (formats as [number, JsonObject][]).map(([format]) => names.of("VkFormat", format)!);
  const compressed = ["BC", "ETC2", "ASTC"].filter((family) =>
    all.some((name) => name.startsWith(`VK_FORMAT_${family}`))
  );
  return `${all.length}, compressed: ${compressed.join(" ") || "none"}`.split(" ");
}

function external({ externalFenceProperties, externalSemaphoreProperties }: JsonObject): string[] {
  if (!externalFenceProperties) return [];
  const list = (pairs: unknown, type: string) =>
    (pairs as [number, JsonObject][]).map(([bit]) => short(type, bit, `${EXTERNAL[type]}_HANDLE_TYPE_`)).join(" ");
  const fences = list(externalFenceProperties, "VkExternalFenceHandleTypeFlags");
  const semaphores = list(externalSemaphoreProperties, "VkExternalSemaphoreHandleTypeFlags");
  return [sentence("Handles", `fences: ${fences || "none"}; semaphores: ${semaphores || "none"}`)];
}

const EXTERNAL: Readonly<Record<string, string>> = {
  VkExternalFenceHandleTypeFlags: "VK_EXTERNAL_FENCE",
  VkExternalSemaphoreHandleTypeFlags: "VK_EXTERNAL_SEMAPHORE",
};

/** The provider of VK_ANDROID_native_buffer for drawing into windows. */
function nativeBuffers(revision: number | undefined): string {
  const whose = revision === undefined ? "provided here" : `the driver's own, revision ${revision}`;
  return sentence("Buffers", `native buffers: ${whose}`);
}

function extensions({ extensions }: JsonObject): string[] {
  const all = (extensions as JsonObject[]).map(({ extensionName }) => extensionName as string);
  return [sentence("Extensions", String(all.length)), ...extensionLines(all)];
}

/** A value of an enum or flags as words: without the prefix, in small letters. */
function short(type: string, value: number, prefix: string): string {
  const text = names.of(type, value) ?? String(value);
  if (text === "0") return "";
  return text.split(" | ").map((each) =>
    each.replace(prefix, "").replace(/_BIT\b/, "").toLowerCase().replaceAll("_", "-")
  )
    .join(" ");
}
