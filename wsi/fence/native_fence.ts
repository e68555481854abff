import { closeDescriptor, createEvent, duplicate, monotonicNow, signalEvent } from "../../ffi/file/file_descriptor.ts";
import { kindOfDescriptor, noDescriptor, signalTimeOf, waitForDescriptor } from "./descriptor.ts";
import { type FenceSource, SharedSource } from "./fence_source.ts";
import { fenceWorker } from "./fence_worker.ts";
import { MergedSource } from "./merged_source.ts";
import { mergeSyncFiles, syncFileInfo } from "./sync_file.ts";

export type { FenceSource };

/** What the duplicates of a fence know together. */
interface Knowledge {
  /** When it was signalled. */
  time?: bigint;
}

/**
 * A fence as Android passes it around: signalled once, for good. It owns a file
 * descriptor (a sync_file, an eventfd with the same poll semantics, or an end of
 * a pipe or of two sockets that is signalled by closing the other end, also when
 * its process dies), or knows another way to be asked; -1 stands for a fence
 * that is signalled. A closed fence counts as signalled.
 */
export class NativeFence implements Disposable {
  #fd: number;
  #source: SharedSource | undefined;
  readonly #record: Knowledge;

  private constructor(fd: number, record: Knowledge = {}, source?: SharedSource) {
    this.#fd = fd;
    this.#record = record;
    this.#source = source;
  }

  /** A fence that is signalled: the file descriptor -1. */
  static signaled(): NativeFence {
    return new NativeFence(-1, { time: monotonicNow() });
  }

  /** Takes over a file descriptor; -1 is signalled. */
  static adopt(fd: number): NativeFence {
    return fd < 0 ? NativeFence.signaled() : new NativeFence(fd);
  }

  /** A fence of this process, which gets a file descriptor when somebody wants one. */
  static of(source: FenceSource): NativeFence {
    return new NativeFence(-1, {}, new SharedSource(source));
  }

  /** A fence that whoever makes it signals; somebody who waits for it for ever on the same thread never gets there. */
  static create(): { fence: NativeFence; signal(): void } {
    const fd = createEvent(), kept = duplicate(fd), record: Knowledge = {};
    if (kept < 0) {
      closeDescriptor(fd);
      throw noDescriptor("a fence");
    }
    let open = true;
    return {
      fence: new NativeFence(fd, record),
      signal() {
        if (!open) return;
        open = false;
        signalEvent(kept, record.time = monotonicNow());
        closeDescriptor(kept);
      },
    };
  }

  /** A fence that is signalled when both are, which stay the caller's. Two sync_files make another one. */
  static merge(one: NativeFence, other: NativeFence): NativeFence {
    if (one.poll()) return other.poll() ? later(one, other).dup() : other.dup();
    if (other.poll()) return one.dup();
    const merged = one.kind === "sync_file" && other.kind === "sync_file" ? mergeSyncFiles(one.#fd, other.#fd) : -1;
    return merged >= 0 ? NativeFence.adopt(merged) : NativeFence.of(new MergedSource([one.dup(), other.dup()]));
  }

  /** What it is: `"signaled"` for none of the others. */
  get kind(): "signaled" | "source" | "sync_file" | "eventfd" {
    if (this.#source) return "source";
    return this.#fd < 0 ? "signaled" : kindOfDescriptor(this.#fd);
  }

  /**
   * When it was signalled, CLOCK_MONOTONIC nanoseconds; `undefined` while it is
   * not. sync_files and the fences made here know it; for others it is when
   * somebody first saw them signalled.
   */
  get signalTime(): bigint | undefined {
    return this.poll() ? this.#record.time : undefined;
  }

  /** Whether it signals only while somebody on this thread asks or waits for it; see {@linkcode FenceSource.isDriven}. */
  get isDriven(): boolean {
    return this.#source?.source.isDriven === true;
  }

  /** Whether it is signalled now. Throws a {@linkcode WsiError} `fence-failed` if it never can be. */
  poll(): boolean {
    return this.wait(0);
  }

  /** Waits at most so many milliseconds; whether it is signalled. Throws as {@linkcode NativeFence.poll} does. */
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
   * Resolves when it is signalled, or when `until` aborts. Takes no thread of its own; goes on when this fence is
   * closed. Rejects with a {@linkcode WsiError} if it fails.
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

  /** Another fence that is signalled when this one is. */
  dup(): NativeFence {
    if (this.#source) return new NativeFence(-1, this.#record, this.#source.retain());
    if (this.#fd < 0) return new NativeFence(-1, this.#record);
    const fd = duplicate(this.#fd);
    if (fd < 0) throw noDescriptor("a duplicate of a fence");
    return new NativeFence(fd, this.#record);
  }

  /** Gives up the file descriptor, which the caller then owns: -1 if it is signalled. The fence is closed. */
  take(): number {
    const fd = this.#source ? (this.poll() ? -1 : this.#source!.source.toDescriptor()) : this.#fd;
    this.#fd = -1;
    this.close();
    return fd;
  }

  /** What it is, for messages. */
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
    closeDescriptor(this.#fd);
    this.#fd = -1;
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

  /** It is signalled, for good: nothing needs to be asked any more. */
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
