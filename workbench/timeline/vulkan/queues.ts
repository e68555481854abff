import type { NativeCall } from "../../../loader/command/compile.ts";
import type { Arguments } from "../../../loader/layers/shipped/trace/arguments.ts";
import { FencePool } from "./fence_pool.ts";
import type { Below } from "./gpu/below.ts";
import type { GpuFacts } from "./gpu/gpu_facts.ts";
import { GpuTimes } from "./gpu/gpu_times.ts";
import { RenderPasses } from "./gpu/render_passes.ts";
import { QueueWork, type Submission } from "./queue_work.ts";
import type { TraceWriter } from "./trace_writer.ts";

/** A device whose queues are followed. */
interface Device {
  readonly fences: FencePool;
  readonly queues: Map<bigint, QueueWork>;
  /** Absent for a device that was created before the layer came. */
  readonly times: GpuTimes | undefined;
}

/** The queues of all living devices. */
export class Queues {
  /** The render passes that the command buffers record. */
  readonly passes = new RenderPasses();
  readonly #writer: TraceWriter;
  readonly #below: (device: bigint) => Below;
  readonly #devices = new Map<bigint, Device>();
  readonly #works = new Map<bigint, QueueWork>();
  /** The works as a list: each call looks at them twice, and an iterator takes as long as the rest of a look. */
  #polled: readonly QueueWork[] = [];

  /** `below` returns a device's commands below the layer. */
  constructor(writer: TraceWriter, below: (device: bigint) => Below) {
    this.#writer = writer;
    this.#below = below;
  }

  /** Follows a new device, with what its physical device says of timestamps. */
  created(device: bigint, facts: GpuFacts): void {
    this.#device(device, facts);
  }

  /** Returns the timestamps of a device, if queues of a family have any. */
  timesOf(device: bigint, family: number): GpuTimes | undefined {
    const times = this.#devices.get(device)?.times;
    return times?.isTimed(family) ? times : undefined;
  }

  /** Follows a queue from now on. A second call for a queue does nothing. */
  follow(device: bigint, queue: bigint, family: number): void {
    const known = this.#device(device);
    if (known.queues.has(queue)) return;
    const times = this.timesOf(device, family);
    const work = new QueueWork(this.#writer, queue, known.fences, times && { times, family });
    known.queues.set(queue, work);
    this.#works.set(queue, work);
    this.#polled = [...this.#works.values()];
  }

  /** Submits what the program submits. */
  submit(queue: bigint, command: string, args: Arguments, next: NativeCall): number {
    return this.#works.get(queue)?.submit(command, args, next) ?? next(...args);
  }

  /** Follows what was just submitted. A queue that the application got before the layer came is not followed. */
  submitted(queue: bigint, submission: Submission): void {
    this.#works.get(queue)?.submitted(submission);
  }

  /** Writes the work that is done by now. */
  poll(): void {
    for (let index = 0; index < this.#polled.length; index++) this.#polled[index].poll();
  }

  /**
   * Writes the rest of a device and destroys the layer's objects, before the device is destroyed. The layer's fences
   * are behind the program's, so that those may be signalled and these not yet. Work that never ends keeps its objects.
   */
  forget(device: bigint): void {
    const known = this.#devices.get(device);
    if (!known) return;
    const { fences, queues, times } = known,
      isIdle = fences.settle([...queues.values()].flatMap((each) => each.fences));
    for (const [queue, work] of queues) {
      work.close();
      this.#works.delete(queue);
    }
    this.#polled = [...this.#works.values()];
    times?.forget();
    if (isIdle) times?.close();
    fences.close();
    this.#devices.delete(device);
  }

  /** Forgets a device that another thread has destroyed: the layer's objects went with it. */
  abandon(device: bigint): void {
    for (const queue of this.#devices.get(device)?.queues.keys() ?? []) this.#works.delete(queue);
    this.#polled = [...this.#works.values()];
    this.#devices.get(device)?.times?.forget();
    this.#devices.delete(device);
  }

  #device(device: bigint, facts?: GpuFacts): Device {
    let known = this.#devices.get(device);
    if (!known) {
      const below = this.#below(device), fences = new FencePool(device, below);
      known = { fences, queues: new Map(), times: facts && new GpuTimes(device, below, facts, fences, this.passes) };
      this.#devices.set(device, known);
    }
    return known;
  }
}
