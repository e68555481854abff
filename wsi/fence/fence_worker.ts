import { closeDescriptor, duplicate, errorName, lastError } from "../../ffi/file/file_descriptor.ts";
import { WsiError } from "../error.ts";
import type { FenceJob, FenceSignaled, SemaphoreReached, SignalSemaphore } from "./fence_job.ts";
import { KIND, MOST_JOBS } from "./job_table.ts";
import { Readiness } from "./readiness.ts";
import { type PostedJob, ThreadLink } from "./thread_link.ts";

/** The functions of the worker that a job calls. */
interface JobOwner {
  settle(job: PendingJob): void;
  cancel(jobs: readonly PendingJob[]): void;
}

/** A job that was given to the thread. */
class PendingJob implements FenceJob {
  readonly device: bigint | undefined;
  #owner: JobOwner | undefined;
  #ending: { time: bigint; result: number } | undefined;

  constructor(
    device: bigint | undefined,
    readonly slot: number,
    owner: JobOwner,
  ) {
    this.device = device;
    this.#owner = owner;
  }

  get pending(): boolean {
    this.#owner?.settle(this);
    return this.#ending === undefined;
  }

  get time(): bigint | undefined {
    return this.pending ? undefined : this.#ending!.time;
  }

  get result(): number {
    return this.pending ? 0 : this.#ending!.result;
  }

  cancel(): void {
    if (this.pending) this.#owner!.cancel([this]);
  }

  end(ending: { time: bigint; result: number }): void {
    this.#ending = ending;
    this.#owner = undefined;
  }
}

/**
 * The one thread of this process that waits for all fences. The thread carries signals from file descriptors to
 * semaphores and back while this thread does other work or is blocked. The worker runs while it has jobs or knows a
 * device that was not forgotten, and never keeps the process alive. Needs only `--allow-ffi`.
 */
export class FenceWorker implements Disposable {
  #link: ThreadLink | undefined;
  readonly #jobs = new Map<number, PendingJob>();
  readonly #devices = new Set<bigint>();
  readonly #readiness: Readiness = new Readiness();
  readonly #owner: JobOwner = { settle: (job) => this.#settle(job), cancel: (jobs) => this.#cancel(jobs) };
  #free: number[] = [];
  #unused = 0;

  /** Number of waiting jobs and promises. */
  get pending(): number {
    for (const job of [...this.#jobs.values()]) this.#settle(job);
    return this.#jobs.size + this.#readiness.pending;
  }

  /**
   * Signals a timeline semaphore to a value when a file descriptor becomes readable: an acquire fence for a driver that
   * takes no sync_file.
   */
  signalSemaphoreWhenReadable(job: SignalSemaphore): FenceJob {
    const { device, semaphore: object, value, vkSignalSemaphore: command } = job;
    return this.#post({ kind: KIND.signalSemaphore, device, object, value, command }, [job.fd]);
  }

  /**
   * Writes to an eventfd when a timeline semaphore reaches a value: a release fence of a driver that gives no
   * sync_file.
   */
  writeEventWhenReached(job: SemaphoreReached): FenceJob {
    const { device, semaphore: object, value, vkWaitSemaphores: command } = job;
    return this.#post({ kind: KIND.semaphoreReached, event: job.event, device, object, value, command });
  }

  /**
   * Writes to an eventfd when a VkFence is signalled. The caller must neither reset nor destroy the VkFence before the
   * job is done.
   */
  writeEventWhenFence(job: FenceSignaled): FenceJob {
    const { device, fence: object, vkWaitForFences: command } = job;
    return this.#post({ kind: KIND.fenceSignaled, event: job.event, device, object, command });
  }

  /** Writes to an eventfd when one or two file descriptors have all become readable. The caller keeps all of them. */
  writeEventWhenReadable({ fds, event }: { readonly fds: readonly number[]; readonly event: number }): FenceJob {
    if (fds.length === 0 || fds.length > 2) {
      throw new RangeError(`Cannot wait for ${fds.length} file descriptors at once`);
    }
    return this.#post({ kind: KIND.descriptorReadable, event }, fds);
  }

  /**
   * Resolves when a file descriptor becomes readable, or when the wait is cancelled. The caller keeps the file
   * descriptor. Needs no thread of its own, and keeps the process alive.
   */
  whenReadable(fd: number, until?: AbortSignal): Promise<void> {
    return this.#readiness.whenReadable(fd, until);
  }

  /**
   * Keeps the thread until the returned function is called, for callers with repeated jobs, since starting the thread
   * takes as long as a frame. A second call of the function does nothing.
   */
  keep(): () => void {
    let kept: ThreadLink | undefined = this.#held();
    return () => {
      if (kept && kept === this.#link) kept.release();
      kept = undefined;
    };
  }

  /**
   * Cancels the jobs of a device and waits a few milliseconds at most, until the thread no longer touches the device.
   * Call this function before vkDestroyDevice. Events of cancelled jobs are written, so that nobody waits for ever.
   * Does nothing for a device without jobs.
   */
  forgetDevice(device: bigint): void {
    this.#cancel([...this.#jobs.values()].filter((job) => job.device === device));
    if (this.#devices.delete(device)) this.#link?.release();
    if (this.pending === 0 && this.#devices.size === 0) this.#end();
  }

  /**
   * Ends the thread and waits for its end; events are written, promises are rejected. A later job starts another
   * thread. A second call does nothing.
   */
  close(): void {
    this.#readiness.close();
    this.#devices.clear();
    this.#end();
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #end(): void {
    this.#link?.end();
    for (const job of [...this.#jobs.values()]) this.#settle(job);
    this.#link = undefined;
    this.#free = [];
    this.#unused = 0;
  }

  /** Gives the thread a job, with file descriptors of its own. */
  #post(wanted: PostedJob, fds: readonly number[] = []): PendingJob {
    const [fd, event, second] = [fds[0], wanted.event, fds[1]].map(own);
    let link: ThreadLink | undefined;
    try {
      link = this.#held();
      this.#settleSome();
      const slot = this.#takeSlot(), job = new PendingJob(wanted.device, slot, this.#owner);
      this.#hold(link, wanted.device);
      this.#jobs.set(slot, job);
      link.post(slot, { ...wanted, fd, event, object: wanted.object ?? BigInt(second) });
      return job;
    } catch (error) {
      [fd, event, second].forEach(closeDescriptor);
      link?.release();
      throw error;
    }
  }

  /** Keeps the thread until the device is forgotten. */
  #hold(link: ThreadLink, device: bigint | undefined): void {
    if (device === undefined || this.#devices.has(device)) return;
    this.#devices.add(device);
    link.hold();
  }

  /** The thread, with a hold for one job: another one if the last has ended. */
  #held(): ThreadLink {
    if (this.#link?.hold()) return this.#link;
    this.#end();
    return this.#link = new ThreadLink();
  }

  /** Settles two posted jobs at each post, so that finished jobs do not pile up. */
  #settleSome(): void {
    for (let count = 0; count < 2; count++) {
      const [job] = this.#jobs.values();
      if (!job || this.#settle(job)) continue;
      this.#jobs.delete(job.slot);
      this.#jobs.set(job.slot, job);
    }
  }

  #settle(job: PendingJob): boolean {
    if (!this.#link!.isDone(job.slot)) return false;
    job.end(this.#link!.ending(job.slot));
    this.#jobs.delete(job.slot);
    this.#free.push(job.slot);
    return true;
  }

  #takeSlot(): number {
    const slot = this.#free.pop() ?? (this.#unused < MOST_JOBS ? this.#unused++ : undefined);
    if (slot !== undefined) return slot;
    const waiting = this.pending;
    const freed = this.#free.pop();
    if (freed !== undefined) return freed;
    throw new WsiError(
      "too-many",
      `Cannot wait for another fence: ${waiting} fences are pending; is their GPU hanging?`,
    );
  }

  #cancel(jobs: readonly PendingJob[]): void {
    this.#link?.cancel(jobs.map(({ slot }) => slot));
    for (const job of jobs) this.#settle(job);
  }
}

/** A file descriptor of the worker's own; -1 for none. */
function own(fd: number | undefined): number {
  if (fd === undefined) return -1;
  const copy = duplicate(fd);
  return copy < 0 ? refuse(fd) : copy;
}

function refuse(fd: number): never {
  const reason = errorName(lastError());
  throw new WsiError(
    "out-of-descriptors",
    `Cannot wait for a fence: file descriptor ${fd} cannot be duplicated: ${reason}`,
  );
}

let only: FenceWorker | undefined;

/**
 * Returns the fence worker of this process; its thread starts with the first job.
 *
 * @example
 * ```ts
 * import { fenceWorker } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(fenceWorker() === fenceWorker(), true);
 * ```
 */
export function fenceWorker(): FenceWorker {
  return only ??= new FenceWorker();
}

/**
 * Ends the fence worker's thread, if it runs.
 *
 * @example
 * ```ts ignore
 * import { closeFenceWorker } from "@pumice/gfx/wsi";
 *
 * closeFenceWorker(); // at the end of a test whose sanitizers count threads
 * ```
 */
export function closeFenceWorker(): void {
  only?.close();
}
