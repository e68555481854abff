import { anything, checkOptions, members, object, type OptionRules } from "../../ffi/check_options.ts";
import type { Vulkan, VulkanOptions } from "../../loader/mod.ts";
import type { Window } from "../contract/window.ts";
import { WsiError } from "../error.ts";
import { loadVulkan } from "../load_vulkan.ts";
import { openBench } from "./bench.ts";
import { openDevice } from "./device.ts";
import { type GpuTools, makeTools } from "./gpu.ts";
import { type GpuRequirements, REQUIREMENTS, Unmet } from "./requirements.ts";
import { type GpuSwapchain, type GpuSwapchainOptions, SWAPCHAIN_RULES, WindowSwapchain } from "./swapchain.ts";

/** Settings of {@linkcode openGpu}: the driver, layers, and the requirements of the device. */
export interface OpenGpuOptions extends GpuRequirements, Pick<VulkanOptions, "driver" | "layers" | "log"> {
  /**
   * An open loader, which stays open; `driver`, `layers` and `log` cannot be given then. Default: a loader of its own.
   */
  readonly vulkan?: Vulkan;
  /** A window to draw into: the device then has a swapchain for the window. Default: no window. */
  readonly window?: Window;
  /** Settings of the swapchain of `window`. */
  readonly swapchain?: GpuSwapchainOptions;
}

const RULES: OptionRules<OpenGpuOptions> = {
  ...REQUIREMENTS,
  driver: anything, // loadVulkan() checks these three options
  layers: anything,
  log: anything,
  vulkan: object("what loadVulkan() returns"),
  window: (value) => typeof (value as Partial<Window>)?.address === "bigint" ? undefined : "a NativeWindow",
  swapchain: members("an object of settings", SWAPCHAIN_RULES),
};
/** The extensions of a device with a window. */
const INSTANCE_EXTENSIONS = ["VK_KHR_surface", "VK_KHR_android_surface"], EXTENSION = "VK_KHR_swapchain";

/** A device with functions to compute, draw and read, and with its loader and instance. */
export interface Gpu extends GpuTools, Disposable {
  /** Destroys all objects, the device and the instance, and closes the loader if openGpu() opened it. */
  close(): void;
}

/** A device that draws into a window. */
export interface WindowGpu extends Gpu {
  /** The images of the window. */
  readonly swapchain: GpuSwapchain;
}

/**
 * Opens a Vulkan driver, makes an instance and a device with one queue that
 * draws and computes, and adds functions for what most scripts do with a
 * device: buffers, images, shaders, pixels.
 *
 * @throws {DriverError} when the driver or a layer cannot be used; the message says what was found and what to do.
 * @throws {WsiError} with code `"unsupported"` when there is no device, or the device lacks what is required.
 * @throws {TypeError} when the options make no sense.
 *
 * @example A shader squares numbers
 * ```ts ignore
 * import { openGpu } from "@pumice/gfx";
 * import { translate } from "naga-wasm";
 *
 * const source = `
 *   @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
 *   @compute @workgroup_size(64) fn square(@builtin(global_invocation_id) id: vec3u) {
 *     numbers[id.x] = numbers[id.x] * numbers[id.x];
 *   }`;
 * const shader = translate({ from: "wgsl", to: "spirv", source });
 *
 * using gpu = openGpu();
 * const numbers = gpu.buffer(new Uint32Array([1, 2, 3, 4]));
 * gpu.compute({ shader, bindings: [numbers] });
 * console.log(numbers.words.join()); // 1,4,9,16
 * ```
 *
 * @example A window whose colour changes
 * ```ts ignore
 * import { callbackConsumer, changeLayout, NativeWindow, openGpu } from "@pumice/gfx";
 * import { VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL } from "@pumice/gfx/vk";
 *
 * const consumer = callbackConsumer(({ number, pixels }) => console.log(number, pixels[0]));
 * using window = new NativeWindow({ width: 64, height: 64, consumer });
 * using gpu = openGpu({ window });
 * const layout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
 * const all = { aspectMask: VK_IMAGE_ASPECT_COLOR_BIT, levelCount: 1, layerCount: 1 };
 * for (const red of [0, 1]) {
 *   const target = await gpu.swapchain.acquire();
 *   gpu.submit((commands) => {
 *     changeLayout(commands, target, layout);
 *     commands.vkCmdClearColorImage(target.image, layout, { float32: [red, 0, 0, 1] }, [all]);
 *   });
 *   gpu.swapchain.present(); // prints "1 0", then "2 255"
 * }
 * ```
 */
export function openGpu(options: OpenGpuOptions & { readonly window: Window }): WindowGpu;
/** Opens a driver without a window. */
export function openGpu(options?: OpenGpuOptions): Gpu;
export function openGpu(options: OpenGpuOptions = {}): Gpu | WindowGpu {
  checkOptions("openGpu()", options, RULES);
  const { vulkan: given, driver, layers, log, window, swapchain, ...wanted } = options;
  if (swapchain && !window) throw new TypeError("openGpu() takes swapchain beside window alone: give a window");
  if (given && (driver ?? layers ?? log) !== undefined) {
    throw new TypeError("openGpu() takes either vulkan, or driver, layers and log: an open loader has its own");
  }
  using made = new DisposableStack();
  const vulkan = given ?? made.use(loadVulkan({ driver, layers, log }));
  const bench = openBench(open(vulkan, window ? withWindow(wanted) : wanted), made);
  const shown = window && { swapchain: new WindowSwapchain(bench, window, swapchain ?? {}) }, owned = made.move();
  const close = () => owned.dispose();
  return { ...makeTools({ ...bench, owned }), ...shown, close, [Symbol.dispose]: close };
}

function withWindow({ instanceExtensions = [], extensions = [], ...wanted }: GpuRequirements): GpuRequirements {
  return {
    ...wanted,
    instanceExtensions: [...new Set([...instanceExtensions, ...INSTANCE_EXTENSIONS])],
    extensions: [...new Set([...extensions, EXTENSION])],
  };
}

function open(vulkan: Vulkan, wanted: GpuRequirements) {
  try {
    return openDevice(vulkan, wanted);
  } catch (error) {
    if (!(error instanceof Unmet)) throw error;
    const advice = "name another driver or device, or ask for less; vulkan.explain() lists what was found";
    throw new WsiError("unsupported", `Cannot open a GPU: ${vulkan.driver} ${error.message}; ${advice}`);
  }
}
