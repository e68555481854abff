import type { Batch } from "./batches.ts";
import type { Outcome } from "./run_batch.ts";

/** Called after a batch. */
export type Progress = (outcome: Outcome) => void;

/** Tells of each batch as it ends: what failed in full, the counts, and about how long the others take. */
export function progressOf(batches: readonly Batch[]): Progress {
  const start = performance.now(), all = batches.reduce((sum, { seconds }) => sum + seconds, 0);
  let ended = 0, done = 0;
  return ({ batch, passed, failed, seconds, output }) => {
    if (failed > 0) console.log(`\n${output.trim().replace(/^/gm, "  ")}\n`);
    const count = Math.min(++ended, batches.length);
    done = Math.min(done + batch.seconds, all);
    // This machine is as much slower than the records for the rest as it was up to now.
    const left = (performance.now() - start) / 1000 / done * (all - done);
    const counts = `${passed} passed${failed > 0 ? `, ${failed} FAILED` : ""}, ${seconds.toFixed(0)} s`;
    console.log(`[${count}/${batches.length}] ${batch.name}: ${counts}; ${clock(left)} left`);
  };
}

/** Minutes and seconds. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${`${whole % 60}`.padStart(2, "0")}`;
}
