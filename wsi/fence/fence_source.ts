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
  /** When the source was signalled, in CLOCK_MONOTONIC nanoseconds, if known. */
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
