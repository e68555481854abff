import { VK_NOT_READY, VK_SUCCESS } from "../../../gen/native_gen.ts";
import type { FencePool } from "./fence_pool.ts";
import { nanoseconds, type TraceWriter, type Track } from "./trace_writer.ts";

/** What was submitted. */
export interface Submission {
  /** The command. */
  readonly name: string;
  /** When the command was called, in nanoseconds. */
  readonly submitted: number;
  /** The arrows of what the work waits for and signals. */
  readonly flows: readonly number[];
}

/** Work that a queue may not have finished, and the layer's own fence behind the work. */
interface Work extends Submission {
  readonly fence: bigint;
}

/**
 * The work of one queue, as slices from the submission, or from the end of the
 * work before, to the moment at which the work was first seen to be done.
 */
export class QueueWork {
  readonly #writer: TraceWriter;
  readonly #track: Track;
  readonly #fences: FencePool;
  readonly #pending: Work[] = [];
  #idleSince = 0;

  readonly #queue: bigint;

  /** Follows a queue on a track of its own. */
  constructor(writer: TraceWriter, queue: bigint, fences: FencePool) {
    this.#writer = writer;
    this.#track = writer.track(`VkQueue 0x${queue.toString(16)}`);
    this.#fences = fences;
    this.#queue = queue;
  }

  /** Submits a fence behind what was just submitted. If the driver refuses, the work is not written. */
  submitted(submission: Submission): void {
    const fence = this.#fences.take();
    if (fence === undefined) return;
    if (this.#fences.below.vkQueueSubmit(this.#queue, 0, 0n, fence) === VK_SUCCESS) {
      this.#pending.push({ ...submission, fence });
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

  /** Writes everything, done or not, before the device is destroyed. */
  close(): void {
    this.poll();
    for (const work of this.#pending.splice(0)) {
      this.#write(work, { unfinished: true });
      this.#fences.destroy(work.fence);
    }
  }

  #write({ name, submitted, flows }: Work, args: Record<string, boolean | number>): void {
    const begun = Math.max(submitted, this.#idleSince), done = nanoseconds();
    this.#writer.begin(this.#track, name, { time: begun, flows, args: { ...args, waited_ns: begun - submitted } });
    this.#writer.end(this.#track, { time: done });
    this.#idleSince = done;
  }
}
