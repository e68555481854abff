import { peek64 } from "../../ffi/machine.ts";
import { VK_API_VERSION_1_1, VK_FORMAT_R8G8B8A8_UNORM } from "../../loader/gen/native_gen.ts";
import type { Layer } from "../../loader/layer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { AdaptorDevice } from "./adaptor_device.ts";
import { IMAGE_USAGE, RESULT } from "./constants.ts";
import type { QueuePlace } from "./device_plan.ts";
import { Below } from "./driver_device.ts";
import { type GpuFacts, gpuFacts, type InstanceFacts } from "./gpu_facts.ts";
import type { AdaptorOptions, AdaptorTier, SemaphoreKind } from "./options.ts";
import { possibleTiers } from "./tiers.ts";

/** The assumed properties of an instance that is older than the adaptor: Vulkan 1.1 at least. */
const UNKNOWN_INSTANCE: InstanceFacts = { version: VK_API_VERSION_1_1, extensions: new Set() };

/** The known properties of an instance and its physical devices. */
export class InstanceState {
  /** The properties with which the instance was created. */
  readonly facts: InstanceFacts;
  readonly #below: Below;
  readonly #gpus = new Map<bigint, GpuFacts>();

  /** For a live instance, by any of its handles. */
  constructor(layer: Layer, handle: bigint, facts: InstanceFacts) {
    this.#below = new Below(layer, handle);
    this.facts = facts;
  }

  /** Returns the known properties of a physical device. */
  gpu(handle: bigint): GpuFacts {
    let facts = this.#gpus.get(handle);
    if (!facts) this.#gpus.set(handle, facts = gpuFacts(this.#below.commands, handle, this.facts));
    return facts;
  }

  /**
   * Whether images can be drawn into buffers directly (on the tier `only`, if
   * given), by the driver's word: there is no device yet to try it on. A machine
   * may make no dma-bufs, so these count only where they are asked for.
   */
  canShare(gpu: bigint, only?: AdaptorTier): boolean {
    const kind = { format: VK_FORMAT_R8G8B8A8_UNORM, usage: IMAGE_USAGE.COLOR_ATTACHMENT, flags: 0 };
    const tiers = possibleTiers(this.#below.commands, this.gpu(gpu), kind).map(({ tier }) => tier);
    return tiers.some((tier) => tier !== "staging" && (only === undefined ? tier !== "dma-buf" : tier === only));
  }
}

/** An adaptor's state of the instances and devices in whose chains the adaptor is. */
export class Adaptor {
  /** The adaptor's options. */
  readonly options: AdaptorOptions;
  /** The instances by dispatch key. */
  readonly instances: Map<bigint, InstanceState> = new Map();
  readonly #layer: () => Layer;
  readonly #devices = new Map<bigint, AdaptorDevice>();
  #lastKey = 0n;
  #last: AdaptorDevice | undefined;

  /** Makes an adaptor that is in no chain yet. */
  constructor(options: AdaptorOptions, layer: () => Layer) {
    this.options = options;
    this.#layer = layer;
  }

  /** The adaptor's layer. */
  get layer(): Layer {
    return this.#layer();
  }

  /** Returns the device of any of its handles; `undefined` for a device without the adaptor. */
  deviceOf(handle: bigint): AdaptorDevice | undefined {
    const key = peek64(handle);
    if (key === this.#lastKey) return this.#last;
    this.#lastKey = key;
    return this.#last = this.#devices.get(key);
  }

  /** Takes part in a device. */
  enter(device: AdaptorDevice): void {
    this.#devices.set(peek64(device.handle), device);
    this.#lastKey = 0n;
  }

  /** Forgets a device, and returns it. */
  leave(handle: bigint): AdaptorDevice | undefined {
    const key = peek64(handle), device = this.#devices.get(key);
    this.#devices.delete(key);
    this.#lastKey = 0n;
    return device;
  }

  /** The instance of any of its handles. */
  instanceOf(handle: bigint): InstanceState {
    const key = peek64(handle);
    let state = this.instances.get(key);
    if (!state) this.instances.set(key, state = new InstanceState(this.layer, handle, UNKNOWN_INSTANCE));
    return state;
  }

  /** See {@linkcode NativeBufferAdaptor.acquire}. */
  acquire(handle: bigint, image: bigint, native: NativeFence, semaphore: bigint, fence: bigint): number {
    const device = this.deviceOf(handle);
    if (device?.images.has(image)) return device.acquires.acquire(native, semaphore, fence);
    native.close();
    device?.say(`Cannot acquire image 0x${image.toString(16)}: it is not an image of a native buffer`);
    return RESULT.ERROR_INITIALIZATION_FAILED;
  }

  /** See {@linkcode NativeBufferAdaptor.release}. */
  release(queue: bigint, count: number, waits: bigint, handle: bigint): NativeFence | number {
    const device = this.deviceOf(queue), image = device?.images.get(handle);
    if (image) return device!.releases.release(queue, count, waits, image);
    device?.say(`Cannot release image 0x${handle.toString(16)}: it is not an image of a native buffer`);
    return RESULT.ERROR_INITIALIZATION_FAILED;
  }

  /** See {@linkcode NativeBufferAdaptor.describe}. */
  describe(handle: bigint): DeviceDescription | undefined {
    const device = this.deviceOf(handle);
    return device && describeDevice(device);
  }
}

/** The tier of images of a format and usage. */
export interface FormatDescription {
  /** VkFormat. */
  readonly format: number;
  /** VkImageUsageFlags. */
  readonly usage: number;
  /** The place of the pixels. */
  readonly tier: AdaptorTier;
  /** The reason for this tier. */
  readonly why: string;
  /** Number of copies of a frame's pixels. */
  readonly copies: number;
}

/** The way in which the adaptor works on a device. */
export interface DeviceDescription {
  /** The formats that were used so far. */
  readonly formats: readonly FormatDescription[];
  /** The queue for acquire operations; `undefined` if there is none. */
  readonly queue: QueuePlace | undefined;
  /** The form of the application's binary semaphores. */
  readonly semaphores: SemaphoreKind;
  /** Whether releases use timeline semaphores; otherwise each release waits. */
  readonly timeline: boolean;
  /** Whether the driver imports host memory. */
  readonly hostImport: boolean;
  /** Whether the driver imports dma-bufs. */
  readonly dmaBufImport: boolean;
  /** Whether the driver imports sync_files that are pending into semaphores; otherwise the fence worker waits for them. */
  readonly syncFd: boolean;
  /** Whether frames end with sync_files that the driver exports; otherwise the fence worker waits for the driver. */
  readonly syncFdExport: boolean;
}

/** Describes a device as it is now. */
function describeDevice({ tiers, plan, semaphores }: AdaptorDevice): DeviceDescription {
  return {
    formats: tiers.chosen.map(({ kind: { format, usage }, tier, why }) => ({
      format,
      usage,
      tier,
      why,
      copies: tier !== "staging" ? 0 : plan.hostImport ? 1 : 2,
    })),
    queue: plan.queue,
    semaphores: semaphores ? "virtual" : "native",
    timeline: plan.timeline,
    hostImport: plan.hostImport,
    dmaBufImport: plan.dmaBufImport,
    syncFd: plan.syncFd.semaphores,
    syncFdExport: plan.syncFd.exports && plan.timeline,
  };
}
