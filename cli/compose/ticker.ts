import type { Clock } from "../../hwc/mod.ts";

/** Calls back once a period, counting; moments that are missed are left out. The result ends it. */
export function everyPeriod(clock: Clock, period: bigint, tick: (moment: number) => void): () => void {
  const start = clock.now();
  let cancel = () => {};
  const ring = (moment: bigint) => {
    tick(Number(moment));
    const now = (clock.now() - start) / period;
    const next = (now > moment ? now : moment) + 1n;
    cancel = clock.at(start + next * period, () => ring(next));
  };
  ring(0n);
  return () => cancel();
}
