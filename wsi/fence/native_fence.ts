import { closeDescriptor, createEvent, duplicate, monotonicNow, signalEvent } from "../../ffi/file/file_descriptor.ts";
import {
  kindOfDescriptor,
  mergeSyncFiles,
  noDescriptor,
  signalTimeOf,
  syncFileInfo,
  waitForDescriptor,
} from "./descriptor.ts";
import { type FenceSource, MergedSource, SharedSource } from "./fence_source.ts";
import { fenceWorker } from "./fence_worker.ts";

export type { FenceSource };

/** The state that duplicates of a fence share. */
interface Knowledge {
  /** The time of the signal. */
  time?: bigint;
}

/** A file descriptor that duplicates of a fence share until one of them needs its own. */
class SharedDescriptor {
  #owners = 1;

  /** Takes the file descriptor over. */
  constructor(readonly fd: number) {}

  /** For another fence. */
  retain(): this {
    this.#owners++;
    return this;
  }

  /** One fence less. */
  release(): void {
    if (--this.#owners === 0) closeDescriptor(this.fd);
  }

  /** The file descriptor for its last fence, and a duplicate for an earlier one, which has one fence less with that. */
  take(): number {
    const fd = this.#owners > 1 ? duplicate(this.fd) : this.fd;
    if (fd < 0) throw noDescriptor("a duplicate of a fence");
    this.#owners--;
    return fd;
  }
}

/**
 * A fence in Android's sense, which is signalled once and for good. The fence owns a file descriptor (a sync_file; an
 * eventfd with the same poll semantics; or an end of a pipe or socket pair, which is signalled when the other end is
 * closed, even by the death of its process), or a source that can be polled. -1 stands for a signalled fence. A closed
 * fence counts as signalled.
 */
export class NativeFence implements Disposable {
  #file: SharedDescriptor | undefined;
  #source: SharedSource | undefined;
  readonly #record: Knowledge;

  private constructor(record: Knowledge, file?: SharedDescriptor, source?: SharedSource) {
    this.#file = file;
    this.#record = record;
    this.#source = source;
  }

  /** Returns a signalled fence, with the file descriptor -1. */
  static signaled(): NativeFence {
    return new NativeFence({ time: monotonicNow() });
  }

  /** Takes over a file descriptor; -1 is a signalled fence. */
  static adopt(fd: number): NativeFence {
    return fd < 0 ? NativeFence.signaled() : new NativeFence({}, new SharedDescriptor(fd));
  }

  /** Creates a fence over a source of this process; the fence gets a file descriptor when one is needed. */
  static of(source: FenceSource): NativeFence {
    return new NativeFence({}, undefined, new SharedSource(source));
  }

  /** Creates a fence that the caller signals. Waiting for it for ever on the same thread never ends. */
  static create(): { fence: NativeFence; signal(): void } {
    const fd = createEvent(), kept = duplicate(fd), record: Knowledge = {};
    if (kept < 0) {
      closeDescriptor(fd);
      throw noDescriptor("a fence");
    }
    let open = true;
    return {
      fence: new NativeFence(record, new SharedDescriptor(fd)),
      signal() {
        if (!open) return;
        open = false;
        signalEvent(kept, record.time = monotonicNow());
        closeDescriptor(kept);
      },
    };
  }

  /** Creates a fence that is signalled when both fences are. The caller keeps both. Two sync_files give a sync_file. */
  static merge(one: NativeFence, other: NativeFence): NativeFence {
    if (one.poll()) return other.poll() ? later(one, other).dup() : other.dup();
    if (other.poll()) return one.dup();
    const merged = one.kind === "sync_file" && other.kind === "sync_file" ? mergeSyncFiles(one.#fd, other.#fd) : -1;
    return merged >= 0 ? NativeFence.adopt(merged) : NativeFence.of(new MergedSource([one.dup(), other.dup()]));
  }

  get #fd(): number {
    return this.#file?.fd ?? -1;
  }

  /** The kind of the fence; `"signaled"` for a fence that owns nothing. */
  get kind(): "signaled" | "source" | "sync_file" | "eventfd" {
    if (this.#source) return "source";
    return this.#fd < 0 ? "signaled" : kindOfDescriptor(this.#fd);
  }

  /**
   * The time of the fence's signal, in CLOCK_MONOTONIC nanoseconds; `undefined` before. sync_files and fences of this
   * process know the time; for other fences, the time of the first poll that found them signalled.
   */
  get signalTime(): bigint | undefined {
    return this.poll() ? this.#record.time : undefined;
  }

  /**
   * Whether the fence can be signalled only while this thread polls or waits for it; see
   * {@linkcode FenceSource.isDriven}.
   */
  get isDriven(): boolean {
    return this.#source?.source.isDriven === true;
  }

  /**
   * Returns whether the fence is signalled. Throws a {@linkcode WsiError} `fence-failed` if the fence can never be
   * signalled.
   */
  poll(): boolean {
    return this.wait(0);
  }

  /**
   * Waits for at most a number of milliseconds. Returns whether the fence is signalled. Throws as
   * {@linkcode NativeFence.poll} does.
   */
  wait(milliseconds: number = Infinity): boolean {
    if (this.#source) return this.#waitForSource(this.#source.source, milliseconds);
    if (this.#fd < 0) return true;
    const was = waitForDescriptor(this.#fd, 0);
    if (!was && (milliseconds === 0 || !waitForDescriptor(this.#fd, milliseconds === Infinity ? -1 : milliseconds))) {
      return false;
    }
    // One that signalled while it was waited for is signalled now; only the kernel knows better.
    this.#seen(was || syncFileInfo(this.#fd) ? () => signalTimeOf(this.#fd) : () => undefined);
    return true;
  }

  /**
   * Resolves when the fence is signalled, or when `until` aborts. Needs no thread of its own, and continues when this
   * fence is closed. Rejects with a {@linkcode WsiError} if the fence fails.
   */
  async ready(until?: AbortSignal): Promise<void> {
    using copy = this.dup();
    if (copy.poll()) return;
    const fd = copy.#source ? copy.#source.source.toDescriptor() : duplicate(copy.#fd);
    try {
      await fenceWorker().whenReadable(fd, until);
      if (!until?.aborted) this.#record.time ??= signalTimeOf(fd) ?? monotonicNow();
    } finally {
      closeDescriptor(fd);
    }
  }

  /** Returns another fence that is signalled when this fence is. */
  dup(): NativeFence {
    return new NativeFence(this.#record, this.#file?.retain(), this.#source?.retain());
  }

  /** Returns whether both fences come from one by {@linkcode NativeFence.dup}, closed ones included. */
  isDuplicateOf(other: NativeFence): boolean {
    return this.#record === other.#record;
  }

  /** Returns the file descriptor, which the caller then owns; -1 for a signalled fence. The fence is closed. */
  take(): number {
    const fd = this.#source ? (this.poll() ? -1 : this.#source!.source.toDescriptor()) : this.#file?.take() ?? -1;
    this.#file = undefined;
    this.close();
    return fd;
  }

  /** Returns a description for messages. */
  describe(): string {
    const state = this.#state();
    if (this.#source) return `fence of ${this.#source.source.describe?.() ?? "this process"}, ${state}`;
    if (this.#fd < 0) return "fence, signalled";
    const info = syncFileInfo(this.#fd);
    if (info) return `fence of sync_file ${this.#fd} "${info.name}" of ${info.drivers.join(", ")}, ${state}`;
    return `fence of file descriptor ${this.#fd}, ${state}`;
  }

  /** Closes the file descriptor. A second call does nothing. */
  close(): void {
    this.#file?.release();
    this.#file = undefined;
    this.#source?.release();
    this.#source = undefined;
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #state(): string {
    try {
      return this.poll() ? "signalled" : "pending";
    } catch {
      return "broken";
    }
  }

  #waitForSource(source: FenceSource, milliseconds: number): boolean {
    if (!(milliseconds === 0 ? source.poll() : source.wait(nanosecondsOf(milliseconds)))) return false;
    this.#seen(() => source.signalTime);
    return true;
  }

  /** Records that the fence is signalled for good; no later poll is needed. */
  #seen(time: () => bigint | undefined): void {
    this.#record.time ??= time() ?? monotonicNow();
    this.close();
  }
}

function later(one: NativeFence, other: NativeFence): NativeFence {
  return (one.signalTime ?? 0n) > (other.signalTime ?? 0n) ? one : other;
}

function nanosecondsOf(milliseconds: number): bigint {
  return milliseconds === Infinity ? 2n ** 64n - 1n : BigInt(Math.round(milliseconds * 1e6));
}
