import type { Composer } from "./composer.ts";

/** The methods of a {@linkcode Composer} by their `hwc2_function_descriptor_t`, 1 to 70. */
export const FUNCTION_NAMES: Readonly<Record<number, keyof Composer>> = {
  1: "acceptDisplayChanges",
  2: "createLayer",
  3: "createVirtualDisplay",
  4: "destroyLayer",
  5: "destroyVirtualDisplay",
  6: "dump",
  7: "getActiveConfig",
  8: "getChangedCompositionTypes",
  9: "getClientTargetSupport",
  10: "getColorModes",
  11: "getDisplayAttribute",
  12: "getDisplayConfigs",
  13: "getDisplayName",
  14: "getDisplayRequests",
  15: "getDisplayType",
  16: "getDozeSupport",
  17: "getHdrCapabilities",
  18: "getMaxVirtualDisplayCount",
  19: "getReleaseFences",
  20: "presentDisplay",
  21: "registerCallback",
  22: "setActiveConfig",
  23: "setClientTarget",
  24: "setColorMode",
  25: "setColorTransform",
  26: "setCursorPosition",
  27: "setLayerBlendMode",
  28: "setLayerBuffer",
  29: "setLayerColor",
  30: "setLayerCompositionType",
  31: "setLayerDataspace",
  32: "setLayerDisplayFrame",
  33: "setLayerPlaneAlpha",
  34: "setLayerSidebandStream",
  35: "setLayerSourceCrop",
  36: "setLayerSurfaceDamage",
  37: "setLayerTransform",
  38: "setLayerVisibleRegion",
  39: "setLayerZOrder",
  40: "setOutputBuffer",
  41: "setPowerMode",
  42: "setVsyncEnabled",
  43: "validateDisplay",
  44: "setLayerFloatColor",
  45: "setLayerPerFrameMetadata",
  46: "getPerFrameMetadataKeys",
  47: "setReadbackBuffer",
  48: "getReadbackBufferAttributes",
  49: "getReadbackBufferFence",
  50: "getRenderIntents",
  51: "setColorModeWithRenderIntent",
  52: "getDataspaceSaturationMatrix",
  53: "getDisplayIdentificationData",
  54: "getDisplayCapabilities",
  55: "setLayerColorTransform",
  56: "getDisplayedContentSamplingAttributes",
  57: "setDisplayedContentSamplingEnabled",
  58: "getDisplayedContentSample",
  59: "setLayerPerFrameMetadataBlobs",
  60: "getDisplayBrightnessSupport",
  61: "setDisplayBrightness",
  62: "getDisplayConnectionType",
  63: "getDisplayVsyncPeriod",
  64: "setActiveConfigWithConstraints",
  65: "setAutoLowLatencyMode",
  66: "getSupportedContentTypes",
  67: "setContentType",
  68: "getClientTargetProperty",
  69: "setLayerGenericMetadata",
  70: "getLayerGenericMetadataKey",
};

const descriptors = new Map(Object.entries(FUNCTION_NAMES).map(([number, name]) => [name, Number(number)]));

/**
 * Returns the `hwc2_function_descriptor_t` of a method; `undefined` if hwcomposer2.h does not have the method.
 *
 * @example
 * ```ts
 * import { functionDescriptor } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(functionDescriptor("setContentType"), 67);
 * ```
 */
export function functionDescriptor(name: keyof Composer): number | undefined {
  return descriptors.get(name);
}

/** The last descriptor of hwcomposer2.h 2.0, and the one function up to it that a device may lack. */
const LAST_REQUIRED = 43, SIDEBAND_STREAM = 34;

/**
 * Returns the functions that a hwcomposer2 device lacks of those that Hwc2Test requires of every device. `has` is
 * called with each HWC2_FUNCTION descriptor, like getFunction.
 *
 * @example
 * ```ts
 * import { missingFunctions } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(missingFunctions((descriptor) => descriptor !== 43), ["VALIDATE_DISPLAY"]);
 * ```
 */
export function missingFunctions(has: (descriptor: number) => boolean): string[] {
  return Object.entries(FUNCTION_NAMES).flatMap(([number, name]) => {
    const descriptor = Number(number), isRequired = descriptor <= LAST_REQUIRED && descriptor !== SIDEBAND_STREAM;
    return isRequired && !has(descriptor) ? [String(name).replace(/[A-Z]/g, "_$&").toUpperCase()] : [];
  });
}
