import { checkOptions, number, oneOf, type OptionRules } from "../../ffi/check_options.ts";
import { type BandKind, BandPainter } from "./bands/band.ts";
import type { Egl } from "../../egl/mod.ts";
import type { Vulkan } from "../../loader/mod.ts";
import { type CompositionBackend, CompositionError } from "./backend.ts";
import { backendOf } from "./compose.ts";
import { EGL_BACKEND_RULES, type EglBackendOptions, openGlDevice } from "./egl/device.ts";
import { EglPainter } from "./egl/painter.ts";
import type { Painter } from "./plan/step.ts";
import { openPixelLibraries } from "./pixman/library.ts";
import { PixmanPainter } from "./pixman/painter.ts";
import { referencePainter } from "./reference/painter.ts";
import { tsPainter } from "./ts/painter.ts";
import { openComposeDevice, VULKAN_BACKEND_RULES, type VulkanBackendOptions } from "./vulkan/device.ts";
import { VulkanPainter } from "./vulkan/painter.ts";

/**
 * Creates the slow reference backend, which draws pixel by pixel. The backend supports every format, blend mode and
 * rule; the other backends are compared with it.
 *
 * @example
 * ```ts
 * import { createReferenceBackend } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * using backend = createReferenceBackend();
 * assertEquals(backend.name, "reference");
 * ```
 */
export function createReferenceBackend(): CompositionBackend {
  return backendOf("reference", [referencePainter]);
}

/**
 * Creates a backend in TypeScript, with one loop for each kind of row. Writes RGBA, RGBX and BGRA of eight bits by the
 * P-rule.
 *
 * @example
 * ```ts
 * import { createTsBackend } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * using backend = createTsBackend();
 * assertEquals(backend.name, "ts");
 * ```
 */
export function createTsBackend(): CompositionBackend {
  return backendOf("ts", [tsPainter]);
}

/**
 * Creates a backend over the system libraries pixman and, for YUV, libyuv. Throws a `CompositionError`
 * `missing-library` without pixman. Without libyuv, the backend draws no YUV.
 *
 * @example
 * ```ts ignore
 * import { createPixmanBackend, createReferenceComposer, SurfaceFlinger } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * using renderer = createPixmanBackend();
 * using flinger = new SurfaceFlinger({ composer: createReferenceComposer(), renderer });
 * ```
 */
export function createPixmanBackend(): CompositionBackend {
  return backendOf("pixman", [new PixmanPainter(openPixelLibraries())]);
}

/**
 * Creates a backend that uses the best CPU backend for each layer: pixman if pixman is installed and exact, otherwise
 * the TypeScript backend, and the reference for all other layers. Draws every layer, by every rule.
 *
 * @example
 * ```ts
 * import { createCpuBackend } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * using backend = createCpuBackend();
 * assertEquals(backend.name, "cpu");
 * ```
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

/** Options for dividing the work of {@linkcode createThreadedBackend}. */
export interface ThreadedOptions {
  /** The backend that draws on each thread. Default `"pixman"`. */
  readonly painter?: BandKind;
  /** Number of threads, including the calling thread. Default 2. */
  readonly threads?: number;
  /** Frames with fewer pixels are drawn on the calling thread alone. Default 2²⁰. */
  readonly leastPixels?: number;
}

const THREADED_RULES: OptionRules<ThreadedOptions> = {
  painter: oneOf("pixman", "ts"),
  threads: number,
  leastPixels: number,
};

/**
 * Creates a backend that draws with pixman or TypeScript on several threads. Each thread draws one band of the frame;
 * the pixels are the same as on one thread. The threads are Workers, and the first large frame waits until they have
 * started. Throws the errors of the chosen painter.
 *
 * @example
 * ```ts ignore
 * import { createReferenceComposer, createThreadedBackend, SurfaceFlinger } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * using renderer = createThreadedBackend({ painter: "ts", threads: 4 });
 * using flinger = new SurfaceFlinger({ composer: createReferenceComposer(), renderer });
 * ```
 */
export function createThreadedBackend(options: ThreadedOptions = {}): CompositionBackend {
  checkOptions("createThreadedBackend()", options, THREADED_RULES);
  const { painter = "pixman", threads = 2, leastPixels } = options;
  return backendOf(painter, [new BandPainter(painter, threads, leastPixels)]);
}

/**
 * Creates a backend of compute shaders on a device of a Vulkan loader. The caller keeps the loader. The shaders work in
 * the buffers' own memory if the driver can import this memory, otherwise in copies. Throws a `CompositionError`
 * `device`, or an error of a Vulkan command.
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
    throw new TypeError("Cannot compose with Vulkan: give createVulkanBackend() the loader that loadVulkan() returns");
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
 * Creates a backend of OpenGL ES 3 fragment shaders over an EGL loader. The caller keeps the loader, and its contexts
 * are current again after each composition. Buffers are copied to textures, and the result is copied back. Throws a
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
