import type { Budget } from "./options.ts";

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
  /** The reason for skipping the test, or the error with its stack. */
  readonly reason?: string;
  /** The device's name. */
  readonly device?: string;
  /** The pictures of a comparison that failed. */
  readonly picture?: FailedPicture;
  /** The times of the test. */
  readonly measured?: GpuTestTimes;
}

const WHAT = { gpu: "the device", cpu: "the processor", wall: "the test" } as const;

/** Compares the measured times with the permitted times. Throws an `Error` with both for a time that is too long. */
export function checkBudget(measured: GpuTestTimes, budget: Budget = {}): void {
  for (const [kind, who] of Object.entries(WHAT) as [keyof Budget, string][]) {
    const allowed = budget[kind], taken = measured[kind];
    if (allowed === undefined) continue;
    if (taken === undefined) {
      throw new Error(`Cannot hold a budget of ${allowed} ms for ${who}: its queue has no timestamps`);
    }
    if (taken > allowed) {
      throw new Error(`Over budget: ${who} took ${taken.toFixed(2)} ms of ${allowed}; ${measuredText(measured)}`);
    }
  }
}

/** The measured times as text. */
export function measuredText({ gpu, cpu, wall }: GpuTestTimes): string {
  const device = gpu === undefined ? "device unknown" : `device ${gpu.toFixed(2)} ms`;
  return `${device}, processor ${cpu.toFixed(2)} ms, in all ${wall.toFixed(2)} ms`;
}
