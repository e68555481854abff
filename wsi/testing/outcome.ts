/** The times of a test, in milliseconds. */
export interface GpuTestTimes {
  /** Time of the device; `undefined` if its queue has no timestamps. */
  readonly gpu?: number;
  /** Time of the processor, in all threads. */
  readonly cpu: number;
  /** Time from beginning to end, without opening the driver. */
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
