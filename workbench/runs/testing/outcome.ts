/** The times of a test, in milliseconds. */
export interface GpuTestTimes {
  /** Time of the device; `undefined` if its queue has no timestamps. */
  readonly gpu?: number;
  /** Time of the processor, in all threads. */
  readonly cpu: number;
  /** Time from beginning to end, without opening the driver. */
  readonly wall: number;
}

/** The files of a picture that is not as its golden file. */
export interface FailedPicture {
  /** The picture's name. */
  readonly name: string;
  /** The picture of the test. */
  readonly actual: string;
  /** A copy of the golden file; absent if there is none. */
  readonly expected?: string;
  /** The picture of the difference; absent if the sizes differ. */
  readonly difference?: string;
}

/** The outcome of a test in its own process. */
export interface Outcome {
  /** Whether the test passed, failed, or was skipped for this device. */
  readonly status: "passed" | "failed" | "skipped";
  /** Why the test was skipped, or the error with its stack. */
  readonly reason?: string;
  /** The device's name. */
  readonly device?: string;
  /** The pictures of a comparison that failed. */
  readonly picture?: FailedPicture;
  /** The times of the test. */
  readonly measured?: GpuTestTimes;
}
