import { closeDescriptor, createEvent, monotonicNow, signalEvent } from "../../ffi/file/file_descriptor.ts";
import { noDescriptor } from "./descriptor.ts";
import { fenceWorker } from "./fence_worker.ts";

/** The source of a fence that has no file descriptor yet: an object that this process can poll and wait for. */
export interface FenceSource {
  /** Returns whether the source is signalled. */
  poll(): boolean;
  /**
   * Waits for the source without running JavaScript, for at most a number of nanoseconds (2⁶⁴-1 for ever). Returns
   * whether the source is signalled.
   */
  wait(nanoseconds: bigint): boolean;
  /** Returns a file descriptor that becomes readable when the source is signalled. The caller owns it. */
  toDescriptor(): number;
  /**
   * Whether the source can be signalled only while this thread polls or waits for it. Code that may block the thread
   * has to wait for such a source first.
   */
  readonly isDriven?: boolean;
  /** The time of the source's signal, in CLOCK_MONOTONIC nanoseconds, if known. */
  readonly signalTime?: bigint;
  /** Returns a description for messages. */
  describe?(): string;
  /** Called when no fence uses the source any more. */
  close?(): void;
}

/** A source that several fences share: closed with the last of them. */
export class SharedSource {
  /** The shared source. */
  readonly source: FenceSource;
  #owners = 1;

  /** Shares a source; starts with one owner. */
  constructor(source: FenceSource) {
    this.source = source;
  }

  /** For another fence. */
  retain(): this {
    this.#owners++;
    return this;
  }

  /** One fence less. */
  release(): void {
    if (--this.#owners === 0) this.source.close?.();
  }
}

/** The functions of a fence that a merged fence needs. */
interface Part {
  readonly signalTime: bigint | undefined;
  readonly isDriven: boolean;
  poll(): boolean;
  wait(milliseconds: number): boolean;
  dup(): Part;
  take(): number;
  describe(): string;
  close(): void;
}

/** Signalled when all of its fences are, which it owns. */
export class MergedSource implements FenceSource {
  readonly #parts: readonly Part[];

  /** Takes the fences over. */
  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  /** Whether one of the fences is driven. */
  get isDriven(): boolean {
    return this.#parts.some(({ isDriven }) => isDriven);
  }

  /** The time of the last fence's signal. */
  get signalTime(): bigint | undefined {
    const times = this.#parts.map((part) => part.signalTime);
    return times.reduce((latest, time) => latest === undefined || time === undefined || latest > time ? latest : time);
  }

  /** Whether all are signalled. */
  poll(): boolean {
    return this.#parts.every((part) => part.poll());
  }

  /** Waits for one fence after the other. */
  wait(nanoseconds: bigint): boolean {
    const end = nanoseconds === 2n ** 64n - 1n ? undefined : monotonicNow() + nanoseconds;
    const left = () => end === undefined ? Infinity : Math.max(0, Number(end - monotonicNow()) / 1e6);
    return this.#parts.every((part) => part.wait(left()));
  }

  /** An event that the fence worker writes when all are signalled. */
  toDescriptor(): number {
    const event = createEvent();
    if (event < 0) throw noDescriptor("a merged fence");
    const fds = this.#parts.map(descriptorOf).filter((fd) => fd >= 0);
    try {
      if (fds.length === 0) signalEvent(event, this.signalTime);
      else fenceWorker().writeEventWhenReadable({ fds, event });
    } finally {
      fds.forEach(closeDescriptor);
    }
    return event;
  }

  /** For messages. */
  describe(): string {
    return `both of (${this.#parts.map((part) => part.describe()).join(") and (")})`;
  }

  /** Closes the fences. */
  close(): void {
    for (const part of this.#parts) part.close();
  }
}

/** A file descriptor of a fence's, which the caller owns; -1 if it is signalled. */
function descriptorOf(part: Part): number {
  return part.poll() ? -1 : part.dup().take();
}
