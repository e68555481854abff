import { closeDescriptor, createEvent, monotonicNow, signalEvent } from "../../ffi/file/file_descriptor.ts";
import { noDescriptor } from "./descriptor.ts";
import type { FenceSource } from "./fence_source.ts";
import { fenceWorker } from "./fence_worker.ts";

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

  /** When the last of them was signalled. */
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
