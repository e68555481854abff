import { VK_NOT_READY, VK_SUCCESS } from "../../../loader/gen/native_gen.ts";
import type { NativeCall } from "../../../loader/command/compile.ts";
import type { Arguments } from "../../../loader/layers/shipped/trace/arguments.ts";
import type { FencePool } from "./fence_pool.ts";
import type { GpuSpan, GpuTimes, Timing } from "./gpu/gpu_times.ts";
import { nanoseconds } from "../../../loader/layers/shipped/native/clock.ts";
import type { TraceWriter, Track } from "./trace_writer.ts";

/** A submission of a queue. */
export interface Submission {
  /** The command. */
  readonly name: string;
  /** The time of the command's call, in nanoseconds. */
  readonly submitted: number;
  /** The arrows of what the work waits for and signals. */
  readonly flows: readonly number[];
}

/** Work that a queue may not have finished, and the layer's own fence behind the work. */
interface Work extends Submission {
  readonly fence: bigint;
  /** The GPU's own times, where the queue has timestamps. */
  readonly timing: Timing | undefined;
}

/** The timestamps of a queue's work. */
export interface QueueTimes {
  readonly times: GpuTimes;
  readonly family: number;
}

/**
 * The work of one queue, as slices: by the timestamps of the GPU, or else from
 * the submission, or from the end of the work before, to the moment at which
 * the work was first seen to be done.
 */
export class QueueWork {
  readonly #writer: TraceWriter;
  readonly #track: Track;
  readonly #fences: FencePool;
  readonly #pending: Work[] = [];
  readonly #queue: bigint;
  readonly #timed: QueueTimes | undefined;
  #timing: Timing | undefined;
  #idleSince = 0;

  /** Follows a queue on a track of its own. */
  constructor(writer: TraceWriter, queue: bigint, fences: FencePool, timed: QueueTimes | undefined) {
    this.#writer = writer;
    this.#track = writer.track(`VkQueue 0x${queue.toString(16)}`);
    this.#fences = fences;
    this.#queue = queue;
    this.#timed = timed;
  }

  /** Submits what the program submits, with timestamps around where the queue has timestamps. */
  submit(command: string, args: Arguments, next: NativeCall): number {
    if (!this.#timed || command === "vkQueueBindSparse") return next(...args);
    const [result, timing] = this.#timed.times.submit(this.#timed.family, command, args, next);
    this.#timing = timing;
    return result;
  }

  /** Submits a fence behind what was just submitted. If the driver refuses, the work is not written. */
  submitted(submission: Submission): void {
    const fence = this.#fences.take(), timing = this.#timing;
    this.#timing = undefined;
    if (fence === undefined) return;
    if (this.#fences.below.vkQueueSubmit(this.#queue, 0, 0n, fence) === VK_SUCCESS) {
      this.#pending.push({ ...submission, fence, timing });
    } else this.#fences.put(fence);
  }

  /** Writes what is done by now. */
  poll(): void {
    for (let work = this.#pending[0]; work; work = this.#pending[0]) {
      const status = this.#fences.below.vkGetFenceStatus(this.#fences.device, work.fence);
      if (status === VK_NOT_READY) return;
      this.#pending.shift();
      this.#write(work, status === VK_SUCCESS ? {} : { result: status });
      this.#fences.put(work.fence);
    }
  }

  /** The layer's fences behind work that may not be done. */
  get fences(): bigint[] {
    return this.#pending.map(({ fence }) => fence);
  }

  /** Writes everything, done or not, before the device is destroyed. Fences that are in use stay with the driver. */
  close(): void {
    this.poll();
    for (const work of this.#pending.splice(0)) this.#write(work, { unfinished: true });
  }

  #write(work: Work, args: Record<string, boolean | number>): void {
    const seen = nanoseconds(), { name, submitted, flows } = work, writer = this.#writer, track = this.#track;
    const gpu = work.timing && this.#timed!.times.read(work.timing, submitted, seen);
    const begun = Math.max(gpu?.begun ?? submitted, this.#idleSince), ended = Math.max(begun, gpu?.ended ?? seen);
    const by: Record<string, string | number> = gpu
      ? { timed_by: "GPU", clock_by: gpu.by, error_ns: gpu.error }
      : { timed_by: "fence" };
    writer.begin(track, name, { time: begun, flows, args: { ...args, waited_ns: begun - submitted, ...by } });
    if (gpu) this.#writePasses(gpu, begun);
    writer.end(track, { time: ended });
    this.#idleSince = ended;
  }

  #writePasses({ passes }: GpuSpan, from: number): void {
    for (const { begun, ended } of passes) {
      if (ended < from) continue;
      this.#writer.begin(this.#track, "render pass", { time: Math.max(begun, from) });
      this.#writer.end(this.#track, { time: ended });
    }
  }
}
