import type { NativeCall } from "../../loader/command/compile.ts";
import { findCommand } from "../../loader/command/registry/table.ts";
import type { Layer } from "../../loader/layer.ts";
import { type ChainView, viewOf } from "../../loader/layers/hooks/chain_view.ts";
import { compose } from "../../loader/layers/hooks/hooks.ts";
import type { RawCommands } from "../../loader/types.ts";
import { VERSION } from "./constants.ts";
import type { DevicePlan } from "./device_plan.ts";
import type { GpuFacts } from "./gpu_facts.ts";
import type { AdaptorOptions } from "./options.ts";
import { made, stamped } from "./struct.ts";
import { VirtualSemaphores } from "./virtual_semaphores.ts";

/**
 * The commands below a layer, for an instance or device. Unlike a layer's
 * `below()` nothing looks at the arguments: they are called for every frame,
 * with memory of the adaptor's own.
 */
export class Below {
  readonly #layer: Layer;
  readonly #view: ChainView;
  #layers: readonly Layer[];
  #commands: RawCommands;

  /** For the instance or device of a dispatchable handle. Throws a `TypeError` when the layer is not in its chain. */
  constructor(layer: Layer, handle: bigint) {
    const view = viewOf(layer, handle);
    if (!view) throw new TypeError(`${layer.name} is not in the chain of 0x${handle.toString(16)}: give a live handle`);
    this.#layer = layer;
    this.#view = view;
    this.#layers = view.layers();
    this.#commands = this.#compose();
  }

  /** The commands, as the layers below are now. */
  get commands(): RawCommands {
    const layers = this.#view.layers();
    if (layers !== this.#layers) {
      this.#layers = layers;
      this.#commands = this.#compose();
    }
    return this.#commands;
  }

  /**
   * The address of a command below all layers of TypeScript, for threads that
   * can run none; 0n if the command is missing.
   */
  address(name: string): bigint {
    return this.#view.address(findCommand(name)!);
  }

  /** A command is composed when it is first named, and kept. */
  #compose(): RawCommands {
    const rest = this.#layers.slice(this.#layers.indexOf(this.#layer) + 1), view = this.#view;
    const end = new Proxy({}, {
      get(_target, name, receiver) {
        const command = typeof name === "string" ? findCommand(name) : undefined;
        if (!command) return undefined;
        const call: NativeCall = compose(rest, command, view.bottom(command));
        Object.defineProperty(receiver, name, { value: call });
        return call;
      },
    });
    return Object.create(end);
  }
}

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
