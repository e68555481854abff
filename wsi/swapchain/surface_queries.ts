import { peek32, peek64 } from "../../ffi/machine.ts";
import { findInChain, nextOf } from "../../loader/driver/structs/create_info.ts";
import { inFrame } from "../../ffi/arena.ts";
import { codec } from "../../loader/codec/codec.ts";
import { allocateBuffer } from "../buffer/gralloc.ts";
import { USAGE } from "../buffer/usage.ts";
import { factsOf } from "./device_facts.ts";
import type { Below, InstanceState, WindowSystem } from "./environment.ts";
import { answerList, answerNumbers, answerStructs, fill, fillChain } from "./out.ts";
import { ALL_STAGES } from "./present_timing.ts";
import { VK } from "./results.ts";
import {
  capabilitiesOf,
  compatibleModes,
  presentModesOf,
  SURFACE_USAGE,
  surfacelessCapabilities,
} from "./surface_capabilities.ts";
import { compressionOf, type SurfaceFormat, surfaceFormats } from "./surface_formats.ts";
import {
  offsetsOfVkFormatProperties,
  sizeOfVkFormatProperties,
  VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT,
  VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT,
  VK_PRESENT_SCALING_STRETCH_BIT_KHR,
  VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_KHR,
  VkSurfaceCapabilities2KHR,
  VkSurfacePresentModeCompatibilityKHR,
  VkSurfacePresentModeKHR,
} from "../../loader/gen/native_gen.ts";
import { FORMAT } from "../android_values.ts";
import type { Surface } from "./swapchain.ts";

const SURFACELESS = "VK_GOOGLE_surfaceless_query";
const PROBING_RELEASE = 17;
const SAMPLED_AND_ATTACHMENT = VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT;

/** The arguments of a query of a surface. */
export interface SurfaceQuery {
  readonly system: WindowSystem;
  readonly context: Below;
  readonly instance: InstanceState;
  readonly gpu: bigint;
  /** Absent for VK_NULL_HANDLE, by VK_GOOGLE_surfaceless_query. */
  readonly surface: Surface | undefined;
}

/** Whether the query has a surface, or is permitted without one. */
function isAllowed({ surface, instance }: SurfaceQuery): boolean {
  return surface !== undefined || instance.extensions.has(SURFACELESS);
}

/** vkGetPhysicalDeviceSurfaceCapabilitiesKHR; `mode` by VkSurfacePresentModeKHR. */
export function answerCapabilities(query: SurfaceQuery, out: bigint, mode?: number): number {
  if (!isAllowed(query)) return VK.SURFACE_LOST;
  const { surface } = query, found = surface ? capabilitiesOf(surface.window, mode) : surfacelessCapabilities();
  if (!found) return VK.SURFACE_LOST;
  fill("VkSurfaceCapabilitiesKHR", out, found);
  return VK.SUCCESS;
}

/** vkGetPhysicalDeviceSurfaceCapabilities2KHR, with the structs that are chained to its output. */
export function answerCapabilities2(query: SurfaceQuery, info: bigint, out: bigint): number {
  const asked = findInChain(nextOf(info), VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_KHR),
    mode = asked === 0n ? undefined : peek32(asked + VkSurfacePresentModeKHR.presentMode);
  const result = answerCapabilities(query, out + VkSurfaceCapabilities2KHR.surfaceCapabilities, mode);
  if (result < 0) return result;
  const { surface } = query, extents = surface ? capabilitiesOf(surface.window, mode)! : surfacelessCapabilities();
  fillChain(out, {
    VkSharedPresentSurfaceCapabilitiesKHR: () => ({ sharedPresentSupportedUsageFlags: SURFACE_USAGE }),
    VkSurfaceProtectedCapabilitiesKHR: () => ({ supportsProtected: allocatesProtected(query.system) }),
    VkSurfacePresentScalingCapabilitiesKHR: () => ({
      supportedPresentScaling: VK_PRESENT_SCALING_STRETCH_BIT_KHR,
      supportedPresentGravityX: 0,
      supportedPresentGravityY: 0,
      minScaledImageExtent: extents.minImageExtent,
      maxScaledImageExtent: extents.maxImageExtent,
    }),
    VkSurfacePresentModeCompatibilityKHR: (address) => answerModes(query, mode, address),
    VkSurfaceCapabilitiesPresentId2KHR: () => ({ presentId2Supported: true }),
    VkSurfaceCapabilitiesPresentWait2KHR: () => ({ presentWait2Supported: true }),
    VkPresentTimingSurfaceCapabilitiesEXT: () => ({
      presentTimingSupported: true,
      presentAtAbsoluteTimeSupported: true,
      presentAtRelativeTimeSupported: false,
      presentStageQueries: ALL_STAGES,
    }),
  });
  return VK.SUCCESS;
}

/** Whether protected memory is allocated: Android did not look before release 17. */
function allocatesProtected({ release }: WindowSystem): boolean {
  if (release < PROBING_RELEASE) return true;
  try {
    allocateBuffer({ width: 1, height: 1, format: FORMAT.RGBA_8888, usage: USAGE.GPU_TEXTURE | USAGE.PROTECTED })
      .close();
    return true;
  } catch {
    return false;
  }
}

function answerModes(query: SurfaceQuery, mode: number | undefined, address: bigint): void {
  const shared = factsOf(query.context, query.instance, query.gpu, query.system).sharedImage();
  const modes = mode === undefined ? [] : compatibleModes(mode, shared);
  const { presentModeCount, pPresentModes } = VkSurfacePresentModeCompatibilityKHR;
  answerNumbers(modes, address + presentModeCount, peek64(address + pPresentModes));
}

/** vkGetPhysicalDeviceSurfacePresentModesKHR. */
export function answerPresentModes(query: SurfaceQuery, count: bigint, out: bigint): number {
  if (!isAllowed(query)) return VK.SURFACE_LOST;
  const { surface, system, context, instance, gpu } = query;
  if (surface && surface.window.query("MIN_UNDEQUEUED_BUFFERS") < 0) return VK.SURFACE_LOST;
  const shared = factsOf(context, instance, gpu, system).sharedImage();
  return answerNumbers(presentModesOf(surface?.window, system.release, shared), count, out);
}

/** vkGetPhysicalDeviceSurfaceFormatsKHR. */
export function answerFormats(query: SurfaceQuery, count: bigint, out: bigint): number {
  if (!isAllowed(query)) return VK.SURFACE_LOST;
  return answerStructs("VkSurfaceFormatKHR", formatsFor(query), count, out);
}

/** vkGetPhysicalDeviceSurfaceFormats2KHR. */
export function answerFormats2(query: SurfaceQuery, count: bigint, out: bigint): number {
  if (!isAllowed(query)) return VK.SURFACE_LOST;
  const { size } = codec("VkSurfaceFormat2KHR");
  let failure = 0;
  const result = answerList(formatsFor(query), count, out, (surfaceFormat, index) => {
    if (failure < 0) return;
    const at = out + BigInt(size * index);
    fill("VkSurfaceFormat2KHR", at, { surfaceFormat });
    fillChain(at, {
      VkImageCompressionPropertiesEXT() {
        const found = compressionOf({ ...query, release: query.system.release }, surfaceFormat.format);
        if (typeof found !== "number") return found;
        failure = found;
      },
    });
  });
  return failure < 0 ? failure : result;
}

/** vkGetPhysicalDevicePresentRectanglesKHR: the whole window. */
export function answerRectangles(query: SurfaceQuery, count: bigint, out: bigint): number {
  const found = query.surface && capabilitiesOf(query.surface.window);
  if (!found) return VK.SURFACE_LOST;
  return answerStructs("VkRect2D", [{ offset: { x: 0, y: 0 }, extent: found.currentExtent }], count, out);
}

function formatsFor({ system, context, instance, gpu }: SurfaceQuery): SurfaceFormat[] {
  const wide = instance.extensions.has("VK_EXT_swapchain_colorspace");
  return surfaceFormats({
    ...{ release: system.release, bgra: system.bgra, wide },
    supports: (format) => (optimalFeatures(context, gpu, format) & SAMPLED_AND_ATTACHMENT) === SAMPLED_AND_ATTACHMENT,
  });
}

/** VkFormatProperties.optimalTilingFeatures. */
function optimalFeatures(context: Below, gpu: bigint, format: number): number {
  return inFrame((memory) => {
    const at = memory.alloc(sizeOfVkFormatProperties);
    context.below(gpu).vkGetPhysicalDeviceFormatProperties(gpu, format, memory.address(at));
    return memory.view.getUint32(at + offsetsOfVkFormatProperties.optimalTilingFeatures, true);
  });
}
