import { type Below, FencePool } from "./fence_pool.ts";
import { QueueWork, type Submission } from "./queue_work.ts";
import type { TraceWriter } from "./trace_writer.ts";

/** A device whose queues are followed. */
interface Device {
  readonly fences: FencePool;
  readonly queues: Map<bigint, QueueWork>;
}

/** The queues of all living devices. */
export class Queues {
  readonly #writer: TraceWriter;
  readonly #below: (device: bigint) => Below;
  readonly #devices = new Map<bigint, Device>();
  readonly #works = new Map<bigint, QueueWork>();

  /** `below` returns a device's commands below the layer. */
  constructor(writer: TraceWriter, below: (device: bigint) => Below) {
    this.#writer = writer;
    this.#below = below;
  }

  /** Follows a queue from now on. A second call for a queue does nothing. */
  follow(device: bigint, queue: bigint): void {
    let known = this.#devices.get(device);
    if (!known) {
      known = { fences: new FencePool(device, this.#below(device)), queues: new Map() };
      this.#devices.set(device, known);
    }
    if (known.queues.has(queue)) return;
    const work = new QueueWork(this.#writer, queue, known.fences);
    known.queues.set(queue, work);
    this.#works.set(queue, work);
  }

  /** Follows what was just submitted. A queue that the application got before the layer came is not followed. */
  submitted(queue: bigint, submission: Submission): void {
    this.#works.get(queue)?.submitted(submission);
  }

  /** Writes the work that is done by now. */
  poll(): void {
    for (const work of this.#works.values()) work.poll();
  }

  /** Writes the rest of a device and destroys the layer's fences, before the device is destroyed. */
  forget(device: bigint): void {
    const known = this.#devices.get(device);
    if (!known) return;
    for (const [queue, work] of known.queues) {
      work.close();
      this.#works.delete(queue);
    }
    known.fences.close();
    this.#devices.delete(device);
  }
}
