/** What a test took, in milliseconds. */
export interface GpuTestTimes {
  /** Of the device; `undefined` where its queue has no timestamps. */
  readonly gpu?: number;
  /** Of the processor, in all threads. */
  readonly cpu: number;
  /** From beginning to end, the driver's opening left out. */
  readonly wall: number;
}

/** How a test ended in its own process. */
export interface Outcome {
  /** Whether it ended well, or was not for this device. */
  readonly status: "passed" | "failed" | "skipped";
  /** Why it was skipped, or what failed, with the stack. */
  readonly reason?: string;
  /** The device, as people know it. */
  readonly device?: string;
  /** What it took. */
  readonly measured?: GpuTestTimes;
}
