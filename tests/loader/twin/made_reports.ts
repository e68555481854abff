/**
 * Descriptions of devices that nobody has, each with an odd fact: in the forms of vkjson and of the public hardware
 * database.
 *
 * @module
 */
import type { JsonObject } from "../../../loader/vkjson/json_value.ts";

const V = (minor: number, patch = 0) => (1 << 22 | minor << 12 | patch) >>> 0;
const FAMILY = {
  queueFlags: 7,
  queueCount: 1,
  timestampValidBits: 48,
  minImageTransferGranularity: { width: 1, height: 1, depth: 1 },
};
const MEMORY = {
  memoryTypeCount: 2,
  memoryTypes: [{ propertyFlags: 1, heapIndex: 0 }, { propertyFlags: 7, heapIndex: 0 }],
  memoryHeapCount: 1,
  memoryHeaps: [{ size: "0x0000000020000000", flags: 1 }],
};
const EXTENSIONS = [{ extensionName: "VK_KHR_swapchain", specVersion: 68 }];

function limits(more: JsonObject = {}): JsonObject {
  return {
    maxImageDimension2D: 4096,
    maxMemoryAllocationCount: 4096,
    maxComputeWorkGroupSize: [128, 128, 64],
    ...more,
  };
}

/** A device of vkjson. */
function device(more: JsonObject, properties: JsonObject = {}): JsonObject {
  return {
    properties: {
      apiVersion: V(3),
      deviceName: "Made",
      vendorID: 5045,
      deviceType: 1,
      limits: limits(),
      ...properties,
    },
    features: { robustBufferAccess: 1, geometryShader: 0 },
    memory: MEMORY,
    queues: [FAMILY],
    extensions: EXTENSIONS,
    formats: [[37, { linearTilingFeatures: 0, optimalTilingFeatures: 0x8001, bufferFeatures: 0 }]],
    ...more,
  };
}

function vkjsonWith(more: JsonObject, properties: JsonObject = {}): JsonObject {
  return { apiVersion: V(3), extensions: [], layers: [], devices: [device(more, properties)] };
}

/** A report of the hardware database. */
function report(more: JsonObject, properties: JsonObject = {}): JsonObject {
  const { properties: own, ...rest } = device({}, properties);
  return {
    ...rest,
    properties: { ...own as JsonObject, apiVersionText: "1.3.0", displayName: "Made phone" },
    environment: { name: "android", reportversion: "4.0" },
    instance: { extensions: [], layers: [] },
    extended: { devicefeatures2: [], deviceproperties2: [] },
    formats: [[37, { linearTilingFeatures: 0, optimalTilingFeatures: 0x8001, bufferFeatures: 0, supported: true }]],
    queues: [{ ...FAMILY, supportsPresent: true }],
    ...more,
  };
}

/** The reports, with the odd fact of each. */
export function madeReports(): [odd: string, report: JsonObject][] {
  return [
    ["a device of 1.0 without anything", vkjsonWith({ extensions: [], formats: [] }, { apiVersion: V(0) })],
    [
      "a device of 1.1 with the structs of 1.1 alone",
      vkjsonWith({
        multiviewFeatures: { multiview: 1, multiviewGeometryShader: 0, multiviewTessellationShader: 0 },
        multiviewProperties: { maxMultiviewViewCount: 6, maxMultiviewInstanceIndex: 134217727 },
      }, { apiVersion: V(1) }),
    ],
    [
      "a feature that core12 and the struct of the extension tell differently",
      vkjsonWith({
        extensions: [...EXTENSIONS, { extensionName: "VK_KHR_timeline_semaphore", specVersion: 2 }],
        core12: {
          features: { timelineSemaphore: 1 },
          properties: { maxTimelineSemaphoreValueDifference: "0x7fffffff" },
        },
        VK_KHR_timeline_semaphore: { timelineSemaphoreFeaturesKHR: { timelineSemaphore: 0 } },
      }),
    ],
    ["no queue families", vkjsonWith({ queues: [] })],
    [
      "three queue families, more than any driver here has",
      vkjsonWith({
        queues: [FAMILY, { ...FAMILY, queueFlags: 4 }, { ...FAMILY, queueFlags: 6, queueCount: 8 }],
      }),
    ],
    [
      "a heap of one byte",
      vkjsonWith({
        memory: { ...MEMORY, memoryHeaps: [{ size: "0x0000000000000001", flags: 0 }] },
      }),
    ],
    [
      "thirty-two types of memory",
      vkjsonWith({
        memory: {
          ...MEMORY,
          memoryTypeCount: 32,
          memoryTypes: Array.from({ length: 32 }, (_, index) => ({ propertyFlags: index % 16, heapIndex: 0 })),
        },
      }),
    ],
    [
      "a heap larger than 2^53 bytes",
      vkjsonWith({
        memory: { ...MEMORY, memoryHeaps: [{ size: "0x7fffffffffffffff", flags: 1 }] },
      }),
    ],
    ["limits of zero", vkjsonWith({}, { limits: limits({ maxImageDimension2D: 0, maxPushConstantsSize: 0 }) })],
    [
      "limits that are infinite",
      vkjsonWith({}, { limits: limits({ maxSamplerLodBias: 1.78e308, pointSizeRange: [1, 1.78e308] }) }),
    ],
    [
      "an extension that the registry does not know",
      vkjsonWith({
        extensions: [...EXTENSIONS, { extensionName: "VK_VENDOR_secret", specVersion: 3 }],
      }),
    ],
    [
      "a revision of an extension that does not exist",
      vkjsonWith({
        extensions: [{ extensionName: "VK_KHR_swapchain", specVersion: 0 }],
      }),
    ],
    [
      "a format that only has features for buffers",
      vkjsonWith({
        formats: [[98, { linearTilingFeatures: 0, optimalTilingFeatures: 0, bufferFeatures: 0x58 }]],
      }),
    ],
    [
      "the highest bit of features",
      vkjsonWith({
        formats: [[44, { linearTilingFeatures: 0x80000000, optimalTilingFeatures: 0xffffffff, bufferFeatures: 0 }]],
      }),
    ],
    ["a name with letters beyond ASCII", vkjsonWith({}, { deviceName: "Gerät ä 測" })],
    [
      "handle types of fences and semaphores",
      vkjsonWith({
        externalFenceProperties: [[8, {
          exportFromImportedHandleTypes: 8,
          compatibleHandleTypes: 8,
          externalFenceFeatures: 3,
        }]],
        externalSemaphoreProperties: [],
      }),
    ],
    [
      "a report with signed flags and features as texts",
      report({
        formats: [[37, {
          linearTilingFeatures: -2147483648,
          optimalTilingFeatures: 1,
          bufferFeatures: 0,
          supported: true,
        }]],
        features: { robustBufferAccess: true, geometryShader: false },
      }),
    ],
    [
      "a report with members of extensions",
      report({
        extensions: [...EXTENSIONS, { extensionName: "VK_EXT_transform_feedback", specVersion: 1 }],
        extended: {
          devicefeatures2: [{ extension: "VK_EXT_transform_feedback", name: "transformFeedback", supported: true }],
          deviceproperties2: [
            { extension: "VK_EXT_transform_feedback", name: "maxTransformFeedbackStreams", value: "4" },
            { extension: "VK_EXT_transform_feedback", name: "maxTransformFeedbackBufferSize", value: "4294967295" },
            { extension: "VK_EXT_transform_feedback", name: "transformFeedbackDraw", value: "false" },
          ],
        },
      }),
    ],
    [
      "a report with a surface",
      report({
        surfacecapabilites: {
          validSurface: true,
          surfaceExtension: "VK_KHR_android_surface",
          minImageCount: 3,
          maxImageCount: 4,
          supportedUsageFlags: 0x9f,
          presentmodes: [2],
          surfaceformats: [{ format: 37, colorSpace: 0 }],
        },
      }),
    ],
    [
      "a report of 1.2 with subgroups beside the properties",
      report({
        core12: { features: { shaderInt8: 1 }, properties: { driverID: 8, driverName: "Made driver" } },
      }, { apiVersion: V(2, 128) }),
    ],
  ];
}
