import type { Layer } from "../../loader/layer.ts";
import type { RawCommands } from "../../loader/types.ts";
import { fenceWorker } from "../fence/fence_worker.ts";
import { Acquires } from "./acquires.ts";
import type { Backing } from "./backing.ts";
import { Below } from "./below.ts";
import { Commands, recordHostBarrier, stamped } from "./commands.ts";
import { CPU, VERSION } from "./constants.ts";
import type { UnboundImage } from "./create_image.ts";
import type { DevicePlan } from "./device_plan.ts";
import type { GpuFacts } from "./gpu_facts.ts";
import type { NativeImage } from "./native_image.ts";
import type { AdaptorOptions } from "./options.ts";
import { Releases } from "./releases.ts";
import { made } from "./struct.ts";
import { SubmitRewriter } from "./submit_rewriter.ts";
import { Tiers } from "./tiers.ts";
import { UsageRules } from "./usage_rules.ts";
import { VirtualSemaphores } from "./virtual_semaphores.ts";

/** Addresses of the driver's commands that the fence worker calls. */
interface Procs {
  readonly vkSignalSemaphore: bigint;
  readonly vkWaitSemaphores: bigint;
}

/** A device whose native buffers are the adaptor's affair. */
export class AdaptorDevice {
  /** The VkDevice. */
  readonly handle: bigint;
  /** The physical device it is of. */
  readonly gpu: GpuFacts;
  /** The plan with which the device was created. */
  readonly plan: DevicePlan;
  /** The commands of its instance, below the adaptor. */
  readonly instance: Below;
  /** The adaptor's options. */
  readonly options: AdaptorOptions;
  /** The device's images of buffers, by handle. */
  readonly images = new Map<bigint, NativeImage>();
  /** Images of swapchains that are not bound to a buffer yet, by handle. */
  readonly unbound = new Map<bigint, UnboundImage>();
  /** The memory of images, by buffer and tier. */
  readonly backings = new Map<string, Backing>();
  /** The tiers of images. */
  readonly tiers: Tiers;
  /** The rules by which gralloc lays out buffers for this device. */
  readonly rules: UsageRules;
  /** The beginning of frames. */
  readonly acquires: Acquires;
  /** The end of frames. */
  readonly releases: Releases;
  /** Command buffers of the adaptor's own. */
  readonly recorder: Commands;
  /** The application's binary semaphores, if they are timelines below. */
  readonly semaphores: VirtualSemaphores | undefined;
  /** Rewrites submissions if semaphores are virtual. */
  readonly rewriter: SubmitRewriter | undefined;
  readonly #below: Below;
  readonly #families = new Map<bigint, number>();
  readonly #barriers = new Map<number, bigint>();
  #queue: bigint | undefined;
  #procs: Procs | undefined;

  /** Takes part in a device that was just made. */
  constructor(parts: { layer: Layer; handle: bigint; gpu: GpuFacts; plan: DevicePlan; options: AdaptorOptions }) {
    ({ handle: this.handle, gpu: this.gpu, plan: this.plan, options: this.options } = parts);
    this.instance = new Below(parts.layer, parts.gpu.handle);
    this.#below = new Below(parts.layer, parts.handle);
    this.tiers = new Tiers(this);
    this.rules = new UsageRules(this);
    this.acquires = new Acquires(this);
    this.releases = new Releases(this);
    this.recorder = new Commands(this);
    if (this.plan.timeline && this.options.semaphores !== "native") {
      this.semaphores = new VirtualSemaphores();
      this.rewriter = new SubmitRewriter(this.semaphores);
    }
  }

  /** The device's commands, below the adaptor. */
  get commands(): RawCommands {
    return this.#below.commands;
  }

  /** The suffix of commands that came with Vulkan 1.2. */
  get suffix12(): "" | "KHR" {
    return this.gpu.version >= VERSION.V1_2 ? "" : "KHR";
  }

  /** The queue for acquire operations; 0n when the device has no queue. */
  get queue(): bigint {
    return this.#queue ??= this.#getQueue();
  }

  /** For the fence worker's thread, which goes past all layers of TypeScript. */
  get procs(): Procs {
    return this.#procs ??= {
      vkSignalSemaphore: this.#below.address(`vkSignalSemaphore${this.suffix12}`),
      vkWaitSemaphores: this.#below.address(`vkWaitSemaphores${this.suffix12}`),
    };
  }

  /** Notes which family a queue is of. */
  noteQueue(queue: bigint, family: number): void {
    this.#families.set(queue, family);
  }

  /** The family of a queue. */
  familyOf(queue: bigint): number {
    return this.#families.get(queue) ?? this.plan.queue?.family ?? 0;
  }

  /** Returns a command buffer that makes drawings visible to the host; 0n if none is needed. */
  hostBarrier(family: number): bigint {
    if (this.gpu.type === CPU) return 0n;
    let barrier = this.#barriers.get(family);
    if (barrier === undefined) {
      barrier = this.recorder.recorded(family, (commands) => recordHostBarrier(this, commands));
      this.#barriers.set(family, barrier);
    }
    return barrier;
  }

  /** Says why something is not as it was asked. */
  say(sentence: string): void {
    this.options.log?.(sentence);
  }

  /** Frees everything that is the adaptor's on the device, which is about to be destroyed. */
  close(): void {
    this.acquires.abandonAll();
    fenceWorker().forgetDevice(this.handle);
    this.commands.vkDeviceWaitIdle(this.handle);
    for (const image of [...this.images.values()]) image.close();
    this.releases.close();
    this.acquires.close();
    this.recorder.close();
    this.rules.close();
    this.rewriter?.close();
    const shadows = this.semaphores?.all.map(({ shadow }) => shadow).filter((shadow) => shadow !== 0n) ?? [];
    for (const shadow of shadows) this.commands.vkDestroySemaphore(this.handle, shadow, 0n);
  }

  #getQueue(): bigint {
    const place = this.plan.queue;
    if (!place) return 0n;
    const queue = made((out) => {
      this.commands.vkGetDeviceQueue(this.handle, place.family, place.index, out);
      return 0;
    }) as bigint;
    this.noteQueue(queue, place.family);
    return stamped(this.handle, queue);
  }
}
