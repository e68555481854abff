import type { Window } from "../contract/window.ts";
import {
  VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT,
  VK_IMAGE_USAGE_SAMPLED_BIT,
  VK_IMAGE_USAGE_STORAGE_BIT,
  VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
  VK_PRESENT_MODE_FIFO_KHR,
  VK_PRESENT_MODE_FIFO_LATEST_READY_KHR,
  VK_PRESENT_MODE_MAILBOX_KHR,
  VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR,
  VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR,
  VK_SURFACE_TRANSFORM_HORIZONTAL_MIRROR_BIT_KHR,
  VK_SURFACE_TRANSFORM_HORIZONTAL_MIRROR_ROTATE_180_BIT_KHR,
  VK_SURFACE_TRANSFORM_HORIZONTAL_MIRROR_ROTATE_270_BIT_KHR,
  VK_SURFACE_TRANSFORM_HORIZONTAL_MIRROR_ROTATE_90_BIT_KHR,
  VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
  VK_SURFACE_TRANSFORM_INHERIT_BIT_KHR,
  VK_SURFACE_TRANSFORM_ROTATE_180_BIT_KHR,
  VK_SURFACE_TRANSFORM_ROTATE_270_BIT_KHR,
  VK_SURFACE_TRANSFORM_ROTATE_90_BIT_KHR,
} from "../../loader/gen/native_gen.ts";
import { TRANSFORM } from "../android_values.ts";

/** The present modes of Android's surfaces. */
export const PRESENT_MODE = {
  MAILBOX: VK_PRESENT_MODE_MAILBOX_KHR,
  FIFO: VK_PRESENT_MODE_FIFO_KHR,
  SHARED_DEMAND_REFRESH: VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR,
  SHARED_CONTINUOUS_REFRESH: VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR,
  FIFO_LATEST_READY: VK_PRESENT_MODE_FIFO_LATEST_READY_KHR,
} as const;
const SHARED: readonly number[] = [PRESENT_MODE.SHARED_DEMAND_REFRESH, PRESENT_MODE.SHARED_CONTINUOUS_REFRESH];
const QUEUED: readonly number[] = [PRESENT_MODE.MAILBOX, PRESENT_MODE.FIFO, PRESENT_MODE.FIFO_LATEST_READY];

/** The usage that Android promises for the images of all surfaces. */
export const SURFACE_USAGE: number = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
  VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
  VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
const LARGEST = 4096, UNDEFINED = 0xffffffff;

/** VkSurfaceCapabilitiesKHR. */
export interface SurfaceCapabilities {
  /** Absent for a present mode that the surface does not offer. */
  readonly minImageCount?: number;
  /** Absent for a present mode that the surface does not offer. */
  readonly maxImageCount?: number;
  readonly currentExtent: Size;
  readonly minImageExtent: Size;
  readonly maxImageExtent: Size;
  readonly maxImageArrayLayers: number;
  readonly supportedTransforms: number;
  readonly currentTransform: number;
  readonly supportedCompositeAlpha: number;
  readonly supportedUsageFlags: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Whether a present mode shares one image with the window. */
export function isSharedMode(mode: number): boolean {
  return SHARED.includes(mode);
}

/**
 * The capabilities of a window, for a present mode if one is given. Returns `undefined` for a lost window. For modes
 * that Android does not know the image counts are absent, so that the caller's struct keeps its values.
 */
export function capabilitiesOf(window: Window, mode?: number): SurfaceCapabilities | undefined {
  const width = window.query("DEFAULT_WIDTH"), height = window.query("DEFAULT_HEIGHT");
  const hint = window.query("TRANSFORM_HINT"), most = window.query("MAX_BUFFER_COUNT");
  const undequeued = window.query("MIN_UNDEQUEUED_BUFFERS");
  if ([width, height, hint, most, undequeued].some((each) => each < 0)) return undefined;
  const currentExtent = { width, height };
  return {
    ...imageCounts(most, undequeued, mode),
    currentExtent,
    minImageExtent: { width: 1, height: 1 },
    maxImageExtent: { width: Math.max(LARGEST, width), height: Math.max(LARGEST, height) },
    ...common(surfaceTransform(hint)),
  };
}

/** The capabilities of a surface that does not exist yet, by VK_GOOGLE_surfaceless_query. */
export function surfacelessCapabilities(): SurfaceCapabilities {
  const currentExtent = { width: UNDEFINED, height: UNDEFINED };
  return {
    minImageCount: UNDEFINED,
    maxImageCount: UNDEFINED,
    currentExtent,
    minImageExtent: currentExtent,
    maxImageExtent: currentExtent,
    ...common(VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR),
  };
}

/** The present modes of a window; without a window, those of VK_GOOGLE_surfaceless_query. */
export function presentModesOf(window: Window | undefined, release: number, shared: boolean): number[] {
  const modes = [...release >= 17 ? [PRESENT_MODE.FIFO_LATEST_READY] : [], ...shared ? SHARED : []];
  if (!window) return [PRESENT_MODE.FIFO, ...shared ? SHARED : []];
  const most = window.query("MAX_BUFFER_COUNT"), undequeued = window.query("MIN_UNDEQUEUED_BUFFERS");
  return [...undequeued + 1 < most ? [PRESENT_MODE.MAILBOX] : [], PRESENT_MODE.FIFO, ...modes];
}

/** The present modes that a swapchain of a mode may change to. */
export function compatibleModes(mode: number, shared: boolean): number[] {
  const others = isSharedMode(mode) && shared ? SHARED.filter((each) => each !== mode) : [];
  return [mode, ...others];
}

function imageCounts(most: number, undequeued: number, mode: number | undefined) {
  if (mode !== undefined && isSharedMode(mode)) return { minImageCount: 1, maxImageCount: 1 };
  const known = mode === undefined || QUEUED.includes(mode);
  return known ? { minImageCount: Math.min(most, undequeued + 2), maxImageCount: most } : {};
}

function common(currentTransform: number) {
  return {
    maxImageArrayLayers: 1,
    supportedTransforms: EVERY_TRANSFORM,
    currentTransform,
    supportedCompositeAlpha: VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
    supportedUsageFlags: SURFACE_USAGE,
  };
}

/** VkSurfaceTransformFlagBitsKHR by the transform of a window. */
const SURFACE_TRANSFORMS: Readonly<Record<number, number>> = {
  [TRANSFORM.NONE]: VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
  [TRANSFORM.ROT_90]: VK_SURFACE_TRANSFORM_ROTATE_90_BIT_KHR,
  [TRANSFORM.ROT_180]: VK_SURFACE_TRANSFORM_ROTATE_180_BIT_KHR,
  [TRANSFORM.ROT_270]: VK_SURFACE_TRANSFORM_ROTATE_270_BIT_KHR,
  [TRANSFORM.FLIP_H]: VK_SURFACE_TRANSFORM_HORIZONTAL_MIRROR_BIT_KHR,
  [TRANSFORM.FLIP_H_ROT_90]: VK_SURFACE_TRANSFORM_HORIZONTAL_MIRROR_ROTATE_90_BIT_KHR,
  [TRANSFORM.FLIP_V]: VK_SURFACE_TRANSFORM_HORIZONTAL_MIRROR_ROTATE_180_BIT_KHR,
  [TRANSFORM.FLIP_V_ROT_90]: VK_SURFACE_TRANSFORM_HORIZONTAL_MIRROR_ROTATE_270_BIT_KHR,
};
/** Every transform, and INHERIT. */
const EVERY_TRANSFORM = Object.values(SURFACE_TRANSFORMS).reduce(
  (all, bit) => all | bit,
  VK_SURFACE_TRANSFORM_INHERIT_BIT_KHR,
);

/**
 * The VkSurfaceTransformFlagBitsKHR of a window's transform hint; IDENTITY for a transform that Vulkan does not know.
 */
export function surfaceTransform(native: number): number {
  return SURFACE_TRANSFORMS[native] ?? VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
}

/** The transform that a window applies to buffers that were drawn with a VkSurfaceTransformFlagBitsKHR: the inverse. */
export function inverseTransform(preTransform: number): number {
  if (preTransform === VK_SURFACE_TRANSFORM_ROTATE_90_BIT_KHR) return TRANSFORM.ROT_270;
  if (preTransform === VK_SURFACE_TRANSFORM_ROTATE_270_BIT_KHR) return TRANSFORM.ROT_90;
  const found = Object.entries(SURFACE_TRANSFORMS).find(([, surface]) => surface === preTransform);
  return found ? Number(found[0]) : TRANSFORM.NONE;
}
