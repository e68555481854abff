import { driverChoice } from "../../loader/driver/choice.ts";
import { load, type LoaderEntry } from "../../loader/api/load.ts";
import { requireDriver, WHOLE } from "../../loader/api/load_vulkan.ts";
import type { Vulkan } from "../../loader/api/vulkan.ts";
import {
  VK_API_VERSION_1_1,
  VK_API_VERSION_1_4,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_QUEUE_GRAPHICS_BIT,
} from "../../loader/gen/native_gen.ts";
import type { VulkanOptions } from "../../loader/options.ts";
import { failed, judge, type Requirement, risk } from "../../loader/requirements/requirement.ts";
import { loaderOptionsOf, type TrialPlace, type VulkanCheckOptions } from "../../loader/requirements/run_check.ts";
import { type Outcome, type Verdict, verdictOf } from "../../loader/requirements/verdict.ts";
import type { VkDevice, VkPhysicalDevice, VkQueue } from "../../loader/types.ts";
import { NATIVE_BUFFER, STYPE } from "../adaptor/constants.ts";
import { type NativeBufferAdaptor, nativeBufferAdaptor } from "../adaptor/native_buffer_adaptor.ts";
import { TrialImages } from "./trial_images.ts";

const QUERIES = "VK_KHR_get_physical_device_properties2";
const NEWEST = VK_API_VERSION_1_4;

/** A second queue, and its family. */
interface BusyQueue {
  readonly queue: VkQueue;
  readonly family: number;
}

/**
 * A device with VK_ANDROID_native_buffer, the driver's own or the adaptor's, as the window system uses the extension
 * and no application does.
 */
export class TrialBench implements Disposable {
  readonly device: VkDevice;
  readonly gpu: VkPhysicalDevice;
  readonly queue: VkQueue;
  /** The queue's family. */
  readonly family: number;
  /** A queue that gets long work: a second queue, if the device has several. */
  readonly busyQueue: BusyQueue;
  /** The provider of the native buffers. */
  readonly own: "driver" | "provided";
  /** The revision of VK_ANDROID_native_buffer. */
  readonly revision: number;
  /** Milliseconds; see {@linkcode TrialPlace.timeout}. */
  readonly timeout: number;
  /** Whether the driver may end this process; see `mayDie` of `checkVulkan`. */
  readonly mayDie: boolean;
  /** Images of gralloc's buffers, which are destroyed with the bench. */
  readonly images: TrialImages;
  readonly #adaptor: NativeBufferAdaptor;
  readonly #vulkan: Vulkan;

  /** Opens the driver once more. Throws the errors of its commands. */
  constructor({ options, driver, index, timeout }: TrialPlace) {
    let isHal = (): boolean => false;
    this.#adaptor = nativeBufferAdaptor({ mayExtend: () => !isHal() });
    const bring: LoaderEntry["bring"] = (options, _note, kind) => (isHal = () => kind() === "hal", options);
    const vulkan = load(belowWindows(options, driver, this.#adaptor), { ...WHOLE, bring });
    this.#vulkan = requireDriver(vulkan);
    try {
      const listed = vulkan.vkEnumerateInstanceExtensionProperties();
      const instance = vulkan.vkCreateInstance({
        pApplicationInfo: { apiVersion: Math.min(vulkan.vkEnumerateInstanceVersion(), NEWEST) },
        ppEnabledExtensionNames: listed.some(({ extensionName }) => extensionName === QUERIES) ? [QUERIES] : [],
      });
      this.gpu = instance.vkEnumeratePhysicalDevices()[index];
      this.family = graphicsFamily(this.gpu);
      const other = otherQueue(this.gpu, this.family);
      this.device = this.gpu.vkCreateDevice({
        pQueueCreateInfos: queuesOf(this.family, other),
        ppEnabledExtensionNames: [NATIVE_BUFFER],
      });
      this.queue = this.device.vkGetDeviceQueue(this.family, 0);
      const busy = other ?? { family: this.family, index: 0 };
      this.busyQueue = { queue: this.device.vkGetDeviceQueue(busy.family, busy.index), family: busy.family };
      const extensions = this.gpu.vkEnumerateDeviceExtensionProperties();
      this.revision = extensions.find(({ extensionName }) => extensionName === NATIVE_BUFFER)?.specVersion ?? 0;
      this.own = this.#adaptor.takesPartIn(this.device.handle) ? "provided" : "driver";
      this.timeout = timeout;
      this.mayDie = options.mayDie ?? false;
      this.images = new TrialImages(this.device);
    } catch (error) {
      vulkan.close();
      throw error;
    }
  }

  /**
   * Whether an acquire proceeds by itself when its fence is signalled later, so that this thread can signal the fence.
   */
  get followsFences(): boolean {
    return this.#adaptor.describe(this.device.handle)?.semaphores === "virtual";
  }

  /** The driver's answer about shared images; `undefined` if the driver cannot be asked. */
  get sharedImage(): boolean | undefined {
    const { apiVersion } = this.gpu.vkGetPhysicalDeviceProperties();
    if (apiVersion < VK_API_VERSION_1_1) return undefined;
    const { pNext } = this.gpu.vkGetPhysicalDeviceProperties2([STYPE.PRESENTATION_PROPERTIES]);
    return (pNext as unknown as { sharedImage: boolean }[])[0].sharedImage;
  }

  /** Destroys everything. */
  [Symbol.dispose](): void {
    this.images.close();
    this.#vulkan.close();
  }
}

/** The options for the driver without a window system, with the adaptor directly above the driver. */
function belowWindows(options: VulkanCheckOptions, found: string, adaptor: NativeBufferAdaptor): VulkanOptions {
  const { driver, layers = [] } = options, isFound = driverChoice(driver).kind === "auto";
  return {
    ...loaderOptionsOf(options),
    driver: isFound && options.platform === "android" ? found : driver,
    platform: "linux",
    layers: [...layers, adaptor],
    bottomLayers: [],
  };
}

/** The place of a second queue that can draw, of the same family if possible. */
function otherQueue(gpu: VkPhysicalDevice, family: number): { family: number; index: number } | undefined {
  const families = gpu.vkGetPhysicalDeviceQueueFamilyProperties();
  if (families[family].queueCount > 1) return { family, index: 1 };
  const other = families.findIndex(({ queueFlags }, index) =>
    index !== family && (queueFlags & VK_QUEUE_GRAPHICS_BIT) !== 0
  );
  return other < 0 ? undefined : { family: other, index: 0 };
}

/** The VkDeviceQueueCreateInfo structs of a device with both queues. */
function queuesOf(family: number, other: { family: number; index: number } | undefined) {
  if (other?.family === family) return [{ queueFamilyIndex: family, pQueuePriorities: [1, 1] }];
  return [family, ...other ? [other.family] : []].map((each) => ({ queueFamilyIndex: each, pQueuePriorities: [1] }));
}

function graphicsFamily(gpu: VkPhysicalDevice): number {
  const families = gpu.vkGetPhysicalDeviceQueueFamilyProperties();
  return Math.max(families.findIndex(({ queueFlags }) => (queueFlags & VK_QUEUE_GRAPHICS_BIT) !== 0), 0);
}

/**
 * The size of the memory to fill, and the number of times: enough to keep any GPU busy for a while, and not too much
 * for a CPU.
 */
const BYTES = 64n << 20n, TIMES = 16;

/** Gives a queue work for a while. At the end of the scope the queue is idle. */
export function occupy({ device, gpu }: TrialBench, { queue, family }: BusyQueue): Disposable {
  using owned = new DisposableStack();
  const buffer = device.vkCreateBuffer({ size: BYTES, usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT });
  owned.defer(() => device.vkDestroyBuffer(buffer));
  const { size, memoryTypeBits } = device.vkGetBufferMemoryRequirements(buffer);
  const { memoryTypes } = gpu.vkGetPhysicalDeviceMemoryProperties();
  const memoryTypeIndex = memoryTypes.findIndex((_, index) => (memoryTypeBits >> index & 1) !== 0);
  const memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex });
  owned.defer(() => device.vkFreeMemory(memory));
  device.vkBindBufferMemory(buffer, memory, 0n);
  const pool = device.vkCreateCommandPool({ queueFamilyIndex: family });
  owned.defer(() => device.vkDestroyCommandPool(pool));
  const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, commandBufferCount: 1 });
  commands.vkBeginCommandBuffer({});
  for (let time = 0; time < TIMES; time++) commands.vkCmdFillBuffer(buffer, 0n, BYTES, time);
  commands.vkEndCommandBuffer();
  queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], null);
  owned.defer(() => queue.vkQueueWaitIdle());
  return owned.move();
}

/** A rule that is tried with real images and fences. */
export interface Trial extends Requirement<[bench: TrialBench]> {}

const ADVICE = "the driver must do what VK_ANDROID_native_buffer says";

/** Checks rules on a device of their own. If the driver creates no device, all rules fail. */
export function runTrials(trials: readonly Trial[], place: TrialPlace): Verdict[] {
  if (trials.length === 0) return [];
  let bench: TrialBench;
  try {
    bench = risk("vkCreateDevice with VK_ANDROID_native_buffer", place.options, () => new TrialBench(place));
  } catch (error) {
    const found = `no device with VK_ANDROID_native_buffer: ${(error as Error).message}`;
    return trials.map((trial) => verdictOf(trial, { status: "fail", found, advice: ADVICE }));
  }
  using tried = bench;
  const { progress, lost } = place.options;
  return judge(trials, [tried], { own: tried.own, advice: ADVICE, progress, lost, attempt });
}

/** Carries out a trial. An error that the trial throws is a failure. */
function attempt(_: Trial, check: () => Outcome): Outcome {
  try {
    return check();
  } catch (error) {
    return failed((error as Error).message);
  }
}
