/** What signals a fence that is not a file descriptor yet: something this process can ask and wait for. */
export interface FenceSource {
  /** Whether it is signalled. */
  poll(): boolean;
  /** Waits for it, by means that need no JavaScript, at most so many nanoseconds (2⁶⁴-1 for ever); whether it is signalled. */
  wait(nanoseconds: bigint): boolean;
  /** A file descriptor that becomes readable when it is signalled, which the caller owns. */
  toDescriptor(): number;
  /** Whether it signals only while somebody on this thread asks or waits for it: whoever may block the thread has to wait first. */
  readonly isDriven?: boolean;
  /** When it was signalled, CLOCK_MONOTONIC nanoseconds, if that is known. */
  readonly signalTime?: bigint;
  /** What it is, for messages. */
  describe?(): string;
  /** No fence uses it any more. */
  close?(): void;
}

/** A source that several fences share: closed with the last of them. */
export class SharedSource {
  /** What is shared. */
  readonly source: FenceSource;
  #owners = 1;

  /** Shares it with nobody yet. */
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
