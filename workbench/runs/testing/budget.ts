import type { Budget } from "./options.ts";
import type { GpuTestTimes } from "./outcome.ts";

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
