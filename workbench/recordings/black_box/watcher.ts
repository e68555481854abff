import { inFrame } from "../../../ffi/arena.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { structAt } from "../../../loader/codec/codec.ts";
import type { NativeCall } from "../../../loader/command/compile.ts";
import {
  VK_ERROR_DEVICE_LOST,
  VK_EVENT_RESET,
  VK_NOT_READY,
  VK_SUCCESS,
  VK_TIMEOUT,
} from "../../../loader/gen/enums_core_gen.js";
import type { AnyHook, Layer } from "../../../loader/layer.ts";
import { defineLayer } from "../../../loader/layers/define/define_layer.ts";
import { commandsBelow } from "../../../loader/layers/hooks/below.ts";
import type { Arguments } from "../../../loader/layers/shipped/trace/arguments.ts";
import {
  CAPTURE,
  GATHER,
  type GatheredRange,
  LATE,
  SPARE,
  type SplitLayer,
} from "../../layer_server/server/layer_kind.ts";
import { FencePool } from "../../timeline/vulkan/fence_pool.ts";
import { coreName, isRecorded, tellsProgress } from "../record/commands.ts";
import { makeCopyable, MAKES } from "./copyable_objects.ts";
import { type LiveDevice, queueFlags } from "./live_device.ts";
import { createMarked, type MarkedCommands, MarkPokes, Marks } from "./marks.ts";

/** The events that the layer at the bottom tells. */
export interface WatcherEvents {
  /** A call returned VK_ERROR_DEVICE_LOST. */
  lost(command: string): void;
  /** A wait has not returned in time, or the program asks for too long. */
  hangs(sentence: string): void;
  /** Work is about to be given to a queue; the driver is within no other call. */
  submitting(queue: bigint): void;
  /** Command buffers with marks are given to a queue. */
  submitted(commands: readonly MarkedCommands[]): void;
  /** Whether the next submission must wait, since the driver is to be asked before. */
  isWaiting(): boolean;
  /** The program is another process, and its thread is away: what can wait is done now. */
  spare(): void;
}

/** Waits with a time limit, and the place of the limit in their arguments, in nanoseconds. */
const TIMED: Readonly<Record<string, number>> = {
  vkWaitForFences: 4,
  vkWaitSemaphores: 2,
  vkWaitForPresent: 3,
  vkAcquireNextImage: 2,
};
const FOREVER = 2n ** 64n - 1n;
/** This layer captures no memory, only marks. */
const NO_MEMORY: readonly GatheredRange[] = [];

/** A device with the fences of this layer, its queues and its marks. */
interface Watched extends LiveDevice {
  readonly fences: FencePool;
  readonly queues: Map<bigint, number>;
  readonly marks: Marks;
}

/**
 * The layer below the recording. It makes what can be copied, writes marks between commands, and notices waits that do
 * not end and lost devices. The recording above sees none of its calls.
 */
export class Watcher {
  readonly layer: Layer & SplitLayer;
  readonly #events: WatcherEvents;
  /** Milliseconds after which a wait counts as one that hangs. */
  readonly #bound: number;
  readonly #devices = new Map<bigint, Watched>();
  /** The devices of queues. */
  readonly #owners = new Map<bigint, Watched>();
  readonly #uncopyable = new Set<bigint>();
  /** The marks of each submission that goes on by itself, and is told of later. */
  readonly #taken: MarkedCommands[][] = [];
  readonly #pokes = new MarkPokes();
  /** The values of timeline semaphores at the latest question. */
  readonly #counters = new Map<bigint, bigint>();
  #asked: number | undefined;
  #isHung = false;

  /** Tells of waits longer than so many milliseconds. `policy` holds for calls of other threads. */
  constructor(events: WatcherEvents, bound: number, policy: Layer["onForeignThread"]) {
    this.#events = events;
    this.#bound = bound;
    this.layer = {
      ...defineLayer({
        name: "VK_LAYER_PUMICE_black_box",
        anyCommand: (command) => this.#hook(command),
        onForeignThread: policy,
        recorded: () => {},
      }),
      [LATE]: () => !events.isWaiting(),
      [CAPTURE]: (command, args, isGathered) => void this.#taken.push(this.#marked(command, args, isGathered)),
      [GATHER]: () => ({ ranges: NO_MEMORY, takePokes: () => this.#pokes.take() }),
      [SPARE]: () => events.spare(),
    };
  }

  /** Returns a device by its handle. */
  device(handle: bigint): Watched | undefined {
    return this.#devices.get(handle);
  }

  /** Whether the driver lets a buffer or image be copied. */
  canCopy(handle: bigint): boolean {
    return !this.#uncopyable.has(handle);
  }

  /** Returns the latest mark at an address; `undefined` if no living device has marks there. See `Marks.latest`. */
  markAt(address: bigint, base: number): number | undefined {
    const watched = [...this.#devices.values()].find(({ marks }) => marks.has(address));
    return watched?.marks.latest(address, base, watched.queues.keys());
  }

  /** Waits until the queues of a device have ended their work, each for so many nanoseconds. Returns whether they have. */
  settle(handle: bigint, patience: bigint): boolean {
    const watched = this.#devices.get(handle);
    return [...watched?.queues.keys() ?? []].every((queue) => this.#settles(watched!, queue, patience) === VK_SUCCESS);
  }

  #hook(command: string): AnyHook | undefined {
    if (!isRecorded(command)) return undefined;
    const core = coreName(command), run = this.#runOf(command, core);
    return (next, ...args) => {
      const result = run(next, args as unknown as Arguments);
      if (result === VK_ERROR_DEVICE_LOST) this.#events.lost(command);
      return result;
    };
  }

  #runOf(command: string, core: string): (next: NativeCall, args: Arguments) => unknown {
    if (core === "vkCreateDevice") return (next, args) => this.#createDevice(next, args);
    if (core === "vkDestroyDevice") return (next, args) => this.#destroyDevice(next, args);
    if (/^vkGetDeviceQueue2?$/.test(core)) return (next, args) => this.#getQueue(core, next, args);
    if (core in MAKES) return (next, args) => this.#make(core, next, args);
    if (core in TIMED) return (next, args) => this.#wait(command, TIMED[core], next, args);
    if (/^vk(Queue|Device)WaitIdle$/.test(core)) return (next, args) => this.#waitIdle(command, next, args);
    if (/^vkQueueSubmit2?$/.test(core)) return (next, args) => this.#submit(command, next, args);
    if (tellsProgress(command)) return (next, args) => this.#ask(command, next, args);
    return this.#marking(core);
  }

  #createDevice(next: NativeCall, args: Arguments): unknown {
    const [gpu, info, , out] = args as [bigint, bigint, bigint, bigint];
    const belowGpu = commandsBelow(this.layer, gpu);
    const create = (changed: bigint) => next(gpu, changed, args[2], out) as number;
    const { result, kinds } = createMarked(gpu, belowGpu, info, create);
    if (result !== VK_SUCCESS) return result;
    const device = peek64(out), layer = this.layer;
    const live: LiveDevice = {
      device,
      gpu,
      get below() {
        return commandsBelow(layer, device);
      },
      get belowGpu() {
        return commandsBelow(layer, gpu);
      },
    };
    const marks = new Marks(live, kinds, this.#pokes);
    const fences = new FencePool(device, live.below), queues = new Map<bigint, number>();
    this.#devices.set(device, Object.assign(Object.create(live), { fences, queues, marks }));
    return result;
  }

  #destroyDevice(next: NativeCall, args: Arguments): unknown {
    const watched = this.#devices.get(args[0] as bigint);
    watched?.fences.close();
    watched?.marks.close();
    this.#devices.delete(args[0] as bigint);
    for (const [handle, owner] of this.#owners) if (owner === watched) this.#owners.delete(handle);
    return next(...args);
  }

  #getQueue(core: string, next: NativeCall, args: Arguments): unknown {
    const result = next(...args), watched = this.#devices.get(args[0] as bigint), queue = peek64(args.at(-1) as bigint);
    if (!watched || queue === 0n) return result;
    const family = core === "vkGetDeviceQueue"
      ? args[1] as number
      : structAt("VkDeviceQueueInfo2", args[1] as bigint).queueFamilyIndex as number;
    watched.queues.set(queue, family);
    this.#owners.set(queue, watched);
    return result;
  }

  #make(core: string, next: NativeCall, args: Arguments): unknown {
    const { result, isCopyable } = makeCopyable(core, this.#devices.get(args[0] as bigint), next, args);
    if (result !== VK_SUCCESS) return result;
    const handle = peek64(args[3] as bigint);
    if (isCopyable) this.#uncopyable.delete(handle);
    else this.#uncopyable.add(handle);
    return result;
  }

  /** A wait that is longer than the bound is made in two parts. */
  #wait(command: string, place: number, next: NativeCall, args: Arguments): unknown {
    const limit = args[place] as bigint, bound = BigInt(Math.round(this.#bound * 1e6));
    if (limit <= bound) return this.#answered(command, next(...args) as number);
    const result = next(...args.with(place, bound) as Arguments) as number;
    if (result !== VK_TIMEOUT && result !== VK_NOT_READY) return this.#answered(command, result);
    this.#hang(command);
    return this.#answered(
      command,
      next(...args.with(place, limit === FOREVER ? limit : limit - bound) as Arguments) as number,
    );
  }

  /** Waits that have no limit of their own wait for a fence first. */
  #waitIdle(command: string, next: NativeCall, args: Arguments): unknown {
    const handle = args[0] as bigint, watched = this.#owners.get(handle) ?? this.#devices.get(handle);
    const bound = BigInt(Math.round(this.#bound * 1e6));
    for (const queue of !watched ? [] : this.#owners.has(handle) ? [handle] : watched.queues.keys()) {
      if (this.#settles(watched!, queue, bound) === VK_TIMEOUT) this.#hang(command);
    }
    return this.#answered(command, next(...args) as number);
  }

  #settles({ below, device, fences }: Watched, queue: bigint, patience: bigint): number {
    const fence = fences.take();
    if (fence === undefined) return VK_NOT_READY;
    const submitted = below.vkQueueSubmit(queue, 0, 0n, fence);
    const result = submitted !== VK_SUCCESS ? submitted : inFrame((memory) => {
      const list = memory.alloc(8);
      memory.view.setBigUint64(list, fence, true);
      return below.vkWaitForFences(device, 1, memory.address(list), 1, patience);
    });
    if (result === VK_SUCCESS) fences.put(fence);
    else fences.lose(fence);
    return result;
  }

  /** A counter that says what it said before is an answer of not yet, and so is an event that is not set. */
  #ask(command: string, next: NativeCall, args: Arguments): unknown {
    const result = next(...args) as number;
    if (command.startsWith("vkGetSemaphoreCounterValue") && result === VK_SUCCESS) {
      const [device, semaphore, out] = args as [bigint, bigint, bigint], value = peek64(out);
      const isOld = this.#counters.get(semaphore) === value;
      this.#counters.set(semaphore, value);
      return isOld ? this.#notYet(command, result, device) : this.#answered(command, result);
    }
    if (result === VK_EVENT_RESET) return this.#notYet(command, result, args[0] as bigint);
    return this.#answered(command, result);
  }

  /** A program may ask again and again instead of waiting. */
  #answered(command: string, result: number): number {
    if (result === VK_NOT_READY || result === VK_TIMEOUT) return this.#notYet(command, result);
    this.#asked = undefined;
    this.#isHung = false;
    return result;
  }

  /** Tells a hang if "not yet" lasts beyond the bound on a device at work, as of a counter that nobody raises. */
  #notYet(command: string, result: number, device?: bigint): number {
    this.#asked ??= performance.now();
    if (this.#isHung || performance.now() - this.#asked < this.#bound) return result;
    const isAtWork = device === undefined || !this.settle(device, 0n);
    if (isAtWork) this.#hang(command, "has had no other answer than not yet for");
    else this.#asked = undefined;
    return result;
  }

  #hang(command: string, what = "has not returned in"): void {
    if (this.#isHung) return;
    this.#isHung = true;
    this.#events.hangs(`${command} ${what} ${this.#bound / 1000} s`);
  }

  #submit(command: string, next: NativeCall, args: Arguments): unknown {
    const taken = this.#taken.shift();
    if (!taken) this.#events.submitting(args[0] as bigint);
    this.#asked = undefined;
    const marked = taken ?? this.#marked(command, args);
    if (marked.length > 0) this.#events.submitted(marked);
    return next(...args);
  }

  #marked(command: string, args: Arguments, isGathered = false): MarkedCommands[] {
    return this.#owners.get(args[0] as bigint)?.marks.submitting(command, args, isGathered) ?? [];
  }

  /** Commands of command buffers get marks. */
  #marking(core: string): (next: NativeCall, args: Arguments) => unknown {
    const note = this.#notes[core];
    if (note) {
      return (next, args) => {
        const result = next(...args) as number, watched = this.#devices.get(args[0] as bigint);
        if (result === VK_SUCCESS && watched) note(watched, args);
        return result;
      };
    }
    const end = this.#ends[core];
    if (end) {
      return (next, args) => {
        const watched = this.#devices.get(args[0] as bigint);
        if (watched) end(watched, args);
        return next(...args);
      };
    }
    if (core === "vkEndCommandBuffer") {
      return (next, args) => {
        const result = next(...args);
        if (result === VK_SUCCESS) this.#marksOf(args[0] as bigint)?.ended(args[0] as bigint);
        return result;
      };
    }
    if (core === "vkBeginCommandBuffer") {
      return (next, args) => {
        this.#marksOf(args[0] as bigint)?.begun(args[0] as bigint, args[1] as bigint);
        return next(...args);
      };
    }
    if (!core.startsWith("vkCmd")) return (next, args) => next(...args);
    return (next, args) => {
      const marks = this.#marksOf(args[0] as bigint);
      marks?.before(core, args);
      const result = next(...args);
      marks?.after(core, args);
      return result;
    };
  }

  /** Returns the marks of a command buffer's device. */
  #marksOf(commandBuffer: bigint): Marks | undefined {
    for (const { marks } of this.#devices.values()) if (marks.knows(commandBuffer)) return marks;
  }

  readonly #notes: Readonly<Record<string, (watched: Watched, args: Arguments) => void>> = {
    vkCreateCommandPool: ({ gpu, belowGpu, marks }, args) => {
      const { queueFamilyIndex } = structAt("VkCommandPoolCreateInfo", args[1] as bigint);
      marks.pool(peek64(args[3] as bigint), queueFlags(gpu, belowGpu)[queueFamilyIndex as number] ?? 0);
    },
    vkAllocateCommandBuffers: ({ marks }, args) => {
      const { commandPool, commandBufferCount, level } = structAt("VkCommandBufferAllocateInfo", args[1] as bigint);
      marks.allocated(
        commandPool as bigint,
        handlesAt(args[2] as bigint, commandBufferCount as number),
        level as number,
      );
    },
  };

  /** Objects that end; what is kept of them ends with them. */
  readonly #ends: Readonly<Record<string, (watched: Watched, args: Arguments) => void>> = {
    vkFreeCommandBuffers: ({ marks }, args) => marks.freed(handlesAt(args[3] as bigint, args[2] as number)),
    vkDestroyCommandPool: ({ marks }, args) => marks.poolEnds(args[1] as bigint),
    vkDestroySemaphore: (_, args) => void this.#counters.delete(args[1] as bigint),
    vkDestroyBuffer: (_, args) => void this.#uncopyable.delete(args[1] as bigint),
    vkDestroyImage: (_, args) => void this.#uncopyable.delete(args[1] as bigint),
  };
}

function handlesAt(address: bigint, length: number): bigint[] {
  return Array.from({ length }, (_, index) => peek64(address + BigInt(8 * index)));
}
