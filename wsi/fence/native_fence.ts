import { closeDescriptor, createEvent, duplicate, pollDescriptor, signalEvent } from "../../ffi/file_descriptor.ts";

/** What signals a fence that is not a file descriptor yet: something this process can ask and wait for. */
export interface FenceSource {
  /** Whether it is signalled. */
  poll(): boolean;
  /** Waits for it, by means that need no JavaScript, at most so many nanoseconds; whether it is signalled. */
  wait(nanoseconds: bigint): boolean;
  /** A file descriptor that becomes readable when it is signalled, which the caller owns. */
  toDescriptor(): number;
}

/**
 * A fence as Android passes it around: signalled once, for good. It owns a file
 * descriptor (a sync_file, or an eventfd with the same poll semantics), or
 * knows another way to be asked; -1 stands for a fence that is signalled.
 */
export class NativeFence implements Disposable {
  #fd: number;
  #source: FenceSource | undefined;

  private constructor(fd: number, source?: FenceSource) {
    this.#fd = fd;
    this.#source = source;
  }

  /** A fence that is signalled: the file descriptor -1. */
  static signaled(): NativeFence {
    return new NativeFence(-1);
  }

  /** Takes over a file descriptor; -1 is signalled. */
  static adopt(fd: number): NativeFence {
    return new NativeFence(fd);
  }

  /** A fence of this process, which gets a file descriptor when somebody wants one. */
  static of(source: FenceSource): NativeFence {
    return new NativeFence(-1, source);
  }

  /** A fence that whoever makes it signals. */
  static create(): { fence: NativeFence; signal(): void } {
    const fd = createEvent();
    const kept = duplicate(fd);
    let open = true;
    return {
      fence: new NativeFence(fd),
      signal() {
        if (!open) return;
        open = false;
        signalEvent(kept);
        closeDescriptor(kept);
      },
    };
  }

  /** Whether it is signalled now. */
  poll(): boolean {
    return this.wait(0);
  }

  /** Waits at most so many milliseconds; whether it is signalled. */
  wait(milliseconds: number = Infinity): boolean {
    if (this.#source) {
      if (!(milliseconds === 0 ? this.#source.poll() : this.#source.wait(nanosecondsOf(milliseconds)))) return false;
      this.#source = undefined;
      return true;
    }
    if (this.#fd < 0) return true;
    if (!pollDescriptor(this.#fd, milliseconds === Infinity ? -1 : milliseconds)) return false;
    this.close();
    return true;
  }

  /** Another fence that is signalled when this one is. */
  dup(): NativeFence {
    if (this.#source) return new NativeFence(-1, this.#source);
    return new NativeFence(this.#fd < 0 ? -1 : duplicate(this.#fd));
  }

  /** Gives up the file descriptor, which the caller then owns: -1 if it is signalled. The fence is closed. */
  take(): number {
    const fd = this.#source ? (this.#source.poll() ? -1 : this.#source.toDescriptor()) : this.#fd;
    this.#source = undefined;
    this.#fd = -1;
    return fd;
  }

  /** Closes the file descriptor. A second call does nothing. */
  close(): void {
    closeDescriptor(this.#fd);
    this.#fd = -1;
    this.#source = undefined;
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}

function nanosecondsOf(milliseconds: number): bigint {
  return milliseconds === Infinity ? 2n ** 64n - 1n : BigInt(Math.round(milliseconds * 1e6));
}
