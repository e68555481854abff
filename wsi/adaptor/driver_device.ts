import type { Layer } from "../../loader/layer.ts";
import type { RawCommands } from "../../loader/types.ts";
import { Below } from "./below.ts";
import { VERSION } from "./constants.ts";
import type { DevicePlan } from "./device_plan.ts";
import type { GpuFacts } from "./gpu_facts.ts";
import type { AdaptorOptions } from "./options.ts";
import { made, stamped } from "./struct.ts";
import { VirtualSemaphores } from "./virtual_semaphores.ts";

/** Addresses of the driver's commands that the fence worker calls. */
interface Procs {
  readonly vkSignalSemaphore: bigint;
  readonly vkWaitSemaphores: bigint;
}

/** The values from which the adaptor's record of a device is made. */
export interface DeviceParts {
  /** The adaptor's layer. */
  readonly layer: Layer;
  /** The VkDevice. */
  readonly handle: bigint;
  readonly gpu: GpuFacts;
  readonly plan: DevicePlan;
  readonly options: AdaptorOptions;
}

/** A device as the steps of the adaptor use the driver's side of it: commands, queues, and known facts. */
export class DriverDevice {
  /** The VkDevice. */
  readonly handle: bigint;
  /** The physical device of the device. */
  readonly gpu: GpuFacts;
  /** The plan with which the device was created. */
  readonly plan: DevicePlan;
  /** The commands of the device's instance, below the adaptor. */
  readonly instance: Below;
  /** The adaptor's options. */
  readonly options: AdaptorOptions;
  /** The application's binary semaphores, if they are timelines below. */
  readonly semaphores: VirtualSemaphores | undefined;
  readonly #below: Below;
  readonly #families = new Map<bigint, number>();
  #queue: bigint | undefined;
  #procs: Procs | undefined;

  /** Finds the commands below the adaptor's layer. */
  constructor(parts: DeviceParts) {
    ({ handle: this.handle, gpu: this.gpu, plan: this.plan, options: this.options } = parts);
    this.instance = new Below(parts.layer, parts.gpu.handle);
    this.#below = new Below(parts.layer, parts.handle);
    if (this.plan.timeline && this.options.semaphores !== "native") this.semaphores = new VirtualSemaphores();
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

  /** Addresses for the fence worker's thread, which goes past all layers of TypeScript. */
  get procs(): Procs {
    return this.#procs ??= {
      vkSignalSemaphore: this.#below.address(`vkSignalSemaphore${this.suffix12}`),
      vkWaitSemaphores: this.#below.address(`vkWaitSemaphores${this.suffix12}`),
    };
  }

  /** Notes the family of a queue. */
  noteQueue(queue: bigint, family: number): void {
    this.#families.set(queue, family);
  }

  /** The family of a queue. */
  familyOf(queue: bigint): number {
    return this.#families.get(queue) ?? this.plan.queue?.family ?? 0;
  }

  /** Logs why a result differs from the request. */
  say(sentence: string): void {
    this.options.log?.(sentence);
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
