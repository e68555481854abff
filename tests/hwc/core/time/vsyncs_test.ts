import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Clock } from "../../../../hwc/core/time/clock.ts";
import { ManualClock } from "../../../../hwc/core/time/clock.ts";
import { createReferenceComposer } from "../../../../hwc/simulated/reference_composer.ts";
import { Timing, VsyncTicker } from "../../../../hwc/core/time/vsyncs.ts";

Deno.test("Timing.next() is the first vsync after a time, and from() the first at or after it", () => {
  fc.assert(
    fc.property(
      fc.bigInt(0n, 10n ** 12n),
      fc.integer({ min: 1, max: 10 ** 9 }),
      fc.bigInt(0n, 10n ** 12n),
      (base, period, time) => {
        const timing = new Timing(base, period), next = timing.next(time), from = timing.from(time);
        assert(next > time && (next === base || next - BigInt(period) <= time));
        assert(from >= time && (from === base || from - BigInt(period) < time));
        assertEquals([(next - base) % BigInt(period), (from - base) % BigInt(period)], [0n, 0n]);
      },
    ),
  );
});

/** A clock whose timers ring as much too early or too late as is told. */
function crooked(clock: ManualClock, off: () => bigint): Clock {
  return { now: () => clock.now(), sleep: () => false, at: (time, run) => clock.at(time + off(), run) };
}

Deno.test("VsyncTicker tells each vsync once, however crooked the timers are, and never one that is to come", () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt(-900n, 5000n), { minLength: 1 }), (offsets) => {
      const clock = new ManualClock(0n), timing = new Timing(0n, 1000), told: bigint[] = [];
      let turn = 0;
      const ticker = new VsyncTicker(crooked(clock, () => offsets[turn++ % offsets.length]), timing, (time) => {
        assert(time <= clock.now() + 900n, "as early as the timer, at most");
        told.push(time);
      });
      ticker.isWanted = ticker.isOn = true;
      clock.advance(40_000n);
      ticker.stop();
      assert(told.length > 0);
      assertEquals(told, [...new Set(told)].sort((one, other) => Number(one - other)));
      assertEquals(told.every((time) => time % 1000n === 0n), true);
    }),
  );
});

Deno.test("VsyncTicker tells the vsyncs of a panel that tells them, and those of its clock while the panel is silent", () => {
  const clock = new ManualClock(0n), timing = new Timing(0n, 1000), told: bigint[] = [], asked: (() => void)[] = [];
  let isSilent = false;
  const ticker = new VsyncTicker(clock, timing, (time) => told.push(time), (tell) => {
    if (isSilent) return false;
    const time = timing.next(clock.now()) + 3n; // the panel knows better than the clock
    asked.push(clock.at(time, () => tell(time)));
    return true;
  });
  ticker.isWanted = ticker.isOn = true;
  clock.advance(3500n);
  assertEquals(told, [1003n, 2003n, 3003n]);
  isSilent = true; // one is announced yet
  clock.advance(3000n);
  assertEquals(told.slice(3), [4003n, 5000n, 6000n]);
  isSilent = false;
  clock.advance(2000n);
  assertEquals(told.slice(6), [7000n, 8003n]);
  for (const forget of asked) forget(); // announced, and never told
  clock.advance(40_000n);
  assert(told.at(-1)! >= 40_000n, `${told}`);
  ticker.stop();
  const count = told.length;
  clock.advance(20_000n);
  assertEquals(told.length, count);
});

Deno.test("createReferenceComposer() on real time tells vsyncs that rise by whole periods", async () => {
  const panels = [{ modes: [{ width: 16, height: 16, refreshRate: 250 }] }], times: bigint[] = [];
  using composer = createReferenceComposer({ panels });
  let display = 0n;
  composer.registerCallback(1, (connected) => display = connected);
  const enough = Promise.withResolvers<void>();
  composer.registerCallback(4, (_, time) => void (times.push(time) >= 8 && enough.resolve()));
  composer.setPowerMode(display, 2);
  composer.setVsyncEnabled(display, 1);
  await enough.promise;
  const steps = times.slice(1).map((time, at) => time - times[at]);
  assertEquals(steps.every((step) => step > 0n && step % 4_000_000n === 0n), true, steps.join());
});
