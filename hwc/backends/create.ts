import { checkOptions, number, oneOf, type OptionRules } from "../../ffi/check_options.ts";
import type { BandKind } from "./bands/band.ts";
import { BandPainter } from "./bands/painter.ts";
import type { Egl } from "../../egl/mod.ts";
import type { Vulkan } from "../../loader/mod.ts";
import type { CompositionBackend } from "./backend.ts";
import { backendOf } from "./compose.ts";
import { EGL_BACKEND_RULES, type EglBackendOptions, openGlDevice } from "./egl/device.ts";
import { EglPainter } from "./egl/painter.ts";
import { CompositionError } from "./error.ts";
import type { Painter } from "./step.ts";
import { openPixelLibraries } from "./pixman/library.ts";
import { PixmanPainter } from "./pixman/painter.ts";
import { referencePainter } from "./reference/painter.ts";
import { tsPainter } from "./ts/painter.ts";
import { openComposeDevice, VULKAN_BACKEND_RULES, type VulkanBackendOptions } from "./vulkan/device.ts";
import { VulkanPainter } from "./vulkan/painter.ts";

/** Every format, blend mode and rule, pixel by pixel: the oracle of the others. Slow. */
export function createReferenceBackend(): CompositionBackend {
  return backendOf("reference", [referencePainter]);
}

/** TypeScript alone, a loop for every kind of row. Writes RGBA, RGBX and BGRA of eight bits by the P-rule. */
export function createTsBackend(): CompositionBackend {
  return backendOf("ts", [tsPainter]);
}

/**
 * pixman, with libyuv for YUV: libraries of the system, called directly. Throws
 * a `CompositionError` `missing-library` without pixman; without libyuv it
 * draws no YUV.
 */
export function createPixmanBackend(): CompositionBackend {
  return backendOf("pixman", [new PixmanPainter(openPixelLibraries())]);
}

/**
 * The best of the CPU for each layer: pixman where it is installed and exact,
 * TypeScript's rows where it is not, the reference for the rest. Draws
 * everything, by every rule.
 */
export function createCpuBackend(): CompositionBackend {
  return backendOf("cpu", [...pixmanIfThere(), tsPainter, referencePainter]);
}

function pixmanIfThere(): Painter[] {
  try {
    return [new PixmanPainter(openPixelLibraries())];
  } catch (error) {
    if (error instanceof CompositionError && error.code === "missing-library") return [];
    throw error;
  }
}

/** How {@linkcode createThreadedBackend} shares its work. */
export interface ThreadedOptions {
  /** What draws. Default `"pixman"`. */
  readonly painter?: BandKind;
  /** Threads, this one included. Default 2. */
  readonly threads?: number;
  /** Frames of fewer pixels are drawn by this thread alone. Default 2²⁰. */
  readonly leastPixels?: number;
}

const THREADED_RULES: OptionRules<ThreadedOptions> = {
  painter: oneOf("pixman", "ts"),
  threads: number,
  leastPixels: number,
};

/**
 * pixman or TypeScript on several threads, each of which draws a band of the
 * frame: the same pixels. The threads are Workers; the first large frame waits
 * for them. Throws what the painter's own backend throws.
 */
export function createThreadedBackend(options: ThreadedOptions = {}): CompositionBackend {
  checkOptions("createThreadedBackend()", options, THREADED_RULES);
  const { painter = "pixman", threads = 2, leastPixels } = options;
  return backendOf(painter, [new BandPainter(painter, threads, leastPixels)]);
}

/**
 * Compute shaders on a device of a Vulkan loader, which stays the caller's: in
 * the memory of the buffers themselves where the driver can import it, else
 * with copies. Throws a `CompositionError` `device`, or what the loader's
 * commands throw.
 *
 * @example
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx/loader";
 * import { createReferenceComposer, createVulkanBackend, SurfaceFlinger } from "@pumice/gfx/hwc";
 *
 * using vulkan = loadVulkan();
 * using renderer = createVulkanBackend(vulkan);
 * using flinger = new SurfaceFlinger({ composer: createReferenceComposer(), renderer });
 * ```
 */
export function createVulkanBackend(vulkan: Vulkan, options: VulkanBackendOptions = {}): CompositionBackend {
  checkOptions("createVulkanBackend()", options, VULKAN_BACKEND_RULES);
  if (typeof vulkan?.vkCreateInstance !== "function") {
    throw new TypeError("Cannot compose with Vulkan: give createVulkanBackend() the loader, what loadVulkan() returns");
  }
  const device = openComposeDevice(vulkan, options);
  try {
    return backendOf("vulkan", [new VulkanPainter(device)]);
  } catch (error) {
    device[Symbol.dispose]();
    throw error;
  }
}

/**
 * Fragment shaders of OpenGL ES 3, through an EGL loader, which stays the
 * caller's: its contexts are current again after each composition. Buffers are
 * copied to textures, and what is drawn is copied back. Throws a
 * `CompositionError` `device`.
 *
 * @example
 * ```ts ignore
 * import { loadEgl } from "@pumice/gfx/egl";
 * import { createEglBackend, createReferenceComposer, SurfaceFlinger } from "@pumice/gfx/hwc";
 *
 * using egl = loadEgl();
 * using renderer = createEglBackend(egl);
 * using flinger = new SurfaceFlinger({ composer: createReferenceComposer(), renderer });
 * ```
 */
export function createEglBackend(egl: Egl, options: EglBackendOptions = {}): CompositionBackend {
  checkOptions("createEglBackend()", options, EGL_BACKEND_RULES);
  return backendOf("egl", [new EglPainter(openGlDevice(egl, options))]);
}
