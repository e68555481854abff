import { anything, checkOptions, object, type OptionRules } from "../../ffi/check_options.ts";
import type { Vulkan, VulkanOptions } from "../../loader/mod.ts";
import { WsiError } from "../error.ts";
import { loadVulkan } from "../load_vulkan.ts";
import { openBench } from "./bench.ts";
import { openDevice } from "./device.ts";
import { type GpuTools, makeTools } from "./gpu.ts";
import { type GpuRequirements, REQUIREMENTS, Unmet } from "./requirements.ts";

/** Settings of {@linkcode openGpu}: the driver, layers, and the requirements of the device. */
export interface OpenGpuOptions extends GpuRequirements, Pick<VulkanOptions, "driver" | "layers" | "log"> {
  /**
   * An open loader, which stays open; `driver`, `layers` and `log` cannot be given then. Default: a loader of its own.
   */
  readonly vulkan?: Vulkan;
}

const RULES: OptionRules<OpenGpuOptions> = {
  ...REQUIREMENTS,
  driver: anything, // loadVulkan() checks these three options
  layers: anything,
  log: anything,
  vulkan: object("what loadVulkan() returns"),
};

/** A device with functions to compute, draw and read, and with its loader and instance. */
export interface Gpu extends GpuTools, Disposable {
  /** Destroys all objects, the device and the instance, and closes the loader if openGpu() opened it. */
  close(): void;
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
 */
export function openGpu(options: OpenGpuOptions = {}): Gpu {
  checkOptions("openGpu()", options, RULES);
  const { vulkan: given, driver, layers, log, ...wanted } = options;
  if (given && (driver ?? layers ?? log) !== undefined) {
    throw new TypeError("openGpu() takes either vulkan, or driver, layers and log: an open loader has its own");
  }
  using made = new DisposableStack();
  const vulkan = given ?? made.use(loadVulkan({ driver, layers, log }));
  const bench = openBench(open(vulkan, wanted), made), owned = made.move();
  const close = () => owned.dispose();
  return { ...makeTools({ ...bench, owned }), close, [Symbol.dispose]: close };
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
