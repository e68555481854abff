import { V1_0, V1_1, V1_2, V1_3, V1_4, versionText } from "../version.ts";
import { type DeviceFacts, hasFeature, hasFeatureOf, limitsOf } from "./facts.ts";

/** The feature without which there is no level at all. */
export const LEVEL_0_FEATURE = "textureCompressionETC2";
/** The members of VkPhysicalDeviceFeatures that level 1 requires, in addition to level 0's. */
export const LEVEL_1_FEATURES: readonly string[] = [
  "fullDrawIndexUint32",
  "imageCubeArray",
  "independentBlend",
  "geometryShader",
  "tessellationShader",
  "sampleRateShading",
  "textureCompressionASTC_LDR",
  "fragmentStoresAndAtomics",
  "shaderImageGatherExtended",
  "shaderUniformBufferArrayDynamicIndexing",
  "shaderSampledImageArrayDynamicIndexing",
];
/** The values of the version feature, and the Android release that introduced each. */
export const HARDWARE_VERSIONS: readonly (readonly [version: number, release: number])[] = [
  [V1_0, 7],
  [V1_1, 9],
  [V1_2, 11],
  [V1_3, 13],
  [V1_4, 16],
];
/** The maxPerStageDescriptorStorageBuffers that compute 0 requires. */
export const COMPUTE_BUFFERS = 16;
const VARIABLE_POINTERS = "VkPhysicalDeviceVariablePointersFeatures";

/** `android.hardware.vulkan.level` of a device: 1, 0, or -1 for none. */
export function levelOf(device: DeviceFacts): -1 | 0 | 1 {
  if (!hasFeature(device, LEVEL_0_FEATURE)) return -1;
  return lackedFor(device).length === 0 ? 1 : 0;
}

/** Returns what a device lacks for level 1, without level 0's feature. */
export function lackedFor(device: DeviceFacts): string[] {
  return LEVEL_1_FEATURES.filter((name) => !hasFeature(device, name));
}

/** `android.hardware.vulkan.compute` of a device: 0, or -1 for none. */
export function computeOf(device: DeviceFacts): -1 | 0 {
  return hasVariablePointers(device) && storageBuffersOf(device) >= COMPUTE_BUFFERS ? 0 : -1;
}

/** Whether `variablePointers` is true, in the core struct or in the extension's. */
export function hasVariablePointers(device: DeviceFacts): boolean {
  return hasFeatureOf(device, VARIABLE_POINTERS, "variablePointers");
}

/** maxPerStageDescriptorStorageBuffers. */
export function storageBuffersOf(device: DeviceFacts): number {
  return Number(limitsOf(device).maxPerStageDescriptorStorageBuffers ?? 0);
}

/**
 * Returns `android.hardware.vulkan.version` for a device: among the values that
 * a release knows, the one with the same variant, major and minor and a patch
 * that is not higher; `undefined` if there is none.
 */
export function hardwareVersionOf(apiVersion: number, release: number): number | undefined {
  const found = HARDWARE_VERSIONS.find(([version]) => version >>> 12 === apiVersion >>> 12 && version <= apiVersion);
  return found && found[1] <= release ? found[0] : undefined;
}

/** Formats a packed version with its number: `1.1.0 (0x401000)`. */
export function versionWithNumber(version: number): string {
  return `${versionText(version)} (0x${version.toString(16)})`;
}

/** The values by which devices are compared. */
export function ranksOf(device: DeviceFacts): readonly [level: number, compute: number, version: number] {
  return [levelOf(device), computeOf(device), device.apiVersion];
}

/**
 * Returns the device that the system features describe. CTS takes each device
 * that is no worse in level, compute and version than the one before.
 */
export function bestDevice<Device extends DeviceFacts>(devices: readonly Device[]): Device | undefined {
  let best: Device | undefined, ranks: readonly number[] = [-1, -1, -1];
  for (const device of devices) {
    const own = ranksOf(device);
    if (!own.every((rank, index) => rank >= ranks[index])) continue;
    best = device;
    ranks = own;
  }
  return best;
}
