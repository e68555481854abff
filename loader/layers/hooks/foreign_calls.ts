import { CallRing, type RingRecord } from "../../../ffi/thunk/ring.ts";
import type { Thunk, ThunkOptions } from "../../../ffi/thunk/thunk.ts";
import type { Finding } from "../../driver/report/finding.ts";
import type { RawCommands } from "../../gen/raw_commands_gen.ts";
import type { ForeignThreadPolicy, Layer } from "../../layer.ts";

/** Milliseconds between checks for calls of other threads. */
const INTERVAL = 100;
/** The default for the most calls that can be recorded between checks. */
export const FOREIGN_CALLS = 65_536;
/** The highest number that can be requested. */
const MOST_FOREIGN_CALLS = 1 << 20;
/** Returns a layer's policy for calls of a command on other threads. */
export function policyOf({ onForeignThread = "skip" }: Layer, command: string): ForeignThreadPolicy {
  if (typeof onForeignThread === "string") return onForeignThread;
  return onForeignThread[command as keyof RawCommands] ?? "skip";
}

/** The calls of hooked commands on other threads, for the layers that want to hear of them. */
export class ForeignCalls implements Disposable {
  readonly #listeners = new Map<Thunk, (call: RingRecord) => void>();
  readonly #room: number;
  #lost = 0;
  #ring: CallRing | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Reserves room for so many calls at a time. Throws a `TypeError` unless `room` is an integer from 1 to 2²⁰. */
  constructor(room: number = FOREIGN_CALLS) {
    if (!Number.isInteger(room) || room < 1 || room > MOST_FOREIGN_CALLS) {
      throw new TypeError(`Cannot use foreignCalls ${room}: give an integer from 1 to ${MOST_FOREIGN_CALLS}`);
    }
    this.#room = room;
  }

  /** Returns the thunk options of a policy. Not for use inside a callback. */
  options(policy: ForeignThreadPolicy): Pick<ThunkOptions, "onForeignThread" | "ring"> {
    return policy === "record" ? { onForeignThread: policy, ring: this.#openRing() } : { onForeignThread: policy };
  }

  /** Sets the function that hears of the recorded calls of a callback. */
  listen(thunk: Thunk, tell: (call: RingRecord) => void): void {
    this.#listeners.set(thunk, tell);
  }

  /** Passes the calls recorded until now to the layers, and returns how many. */
  drain(): number {
    return this.#ring?.drain((call) => this.#listeners.get(call.thunk)?.(call)) ?? 0;
  }

  /** The number of calls that found no room and were not recorded. */
  get lost(): number {
    return this.#ring?.lost ?? this.#lost;
  }

  /** A finding that calls were lost, if any were. */
  findings(): Finding[] {
    const { lost } = this;
    if (lost === 0) return [];
    const reason = `${lost} calls of other threads found no room and were not recorded; ` +
      "call drain() more often, or give the option foreignCalls a larger number";
    return [{
      subject: "layer",
      path: "",
      origin: 'onForeignThread: "record"',
      taken: false,
      reason,
      level: "warning",
    }];
  }

  /** Passes on the remaining calls and frees the memory. All callbacks must be freed before. */
  close(): void {
    // Deno loads the timer functions when they are first named
    if (this.#timer !== undefined) clearInterval(this.#timer);
    try {
      this.drain();
    } finally {
      this.#ring?.close();
      this.#lost = this.lost;
      this.#ring = undefined;
    }
  }

  /** Frees the memory at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #openRing(): CallRing {
    if (!this.#ring) {
      this.#ring = new CallRing({ records: this.#room, callers: true });
      this.#timer = setInterval(() => this.drain(), INTERVAL);
      Deno.unrefTimer(this.#timer);
    }
    return this.#ring;
  }
}

/**
 * Commands that Deno's WebGPU may call during garbage collection: it destroys
 * objects, frees memory and command buffers, waits for work, and copies what
 * was written to a mapped buffer that nobody unmapped.
 */
const CALLED_WHILE_COLLECTING: readonly RegExp[] = [
  /^vk(Destroy|Free|Unmap|Reset)/,
  /^vk(Wait|DeviceWaitIdle|QueueWaitIdle|GetFenceStatus|GetSemaphoreCounterValue)/,
  /^vk(CreateCommandPool|AllocateCommandBuffers|BeginCommandBuffer|EndCommandBuffer)/,
  /^vkCmd(PipelineBarrier|CopyBuffer)/,
];

/**
 * Whether Deno itself may call a command during garbage collection. No
 * JavaScript can run then, and a callback cannot notice it: V8 would end the
 * process. Deno's calls of such commands must therefore skip all hooks.
 */
export function isCalledWhileCollecting(name: string): boolean {
  return CALLED_WHILE_COLLECTING.some((pattern) => pattern.test(name));
}
