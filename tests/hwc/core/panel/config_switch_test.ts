import { assertEquals } from "@std/assert";
import type { VsyncPeriodChangeTimeline } from "../../../../hwc/composer_records.ts";
import { ConfigSwitch } from "../../../../hwc/core/panel/config_switch.ts";
import { ManualClock } from "../../../../hwc/core/time/clock.ts";
import { Timing } from "../../../../hwc/core/time/vsyncs.ts";

const PERIOD = 10, CONSTRAINTS = { desiredTimeNanos: 0n, seamlessRequired: false };

/** A switch at time 5, with vsyncs at 0, 10, 20 …, and what it has done. */
function open(needsRefresh: boolean) {
  const clock = new ManualClock(5n), done: (readonly [config: number, time: bigint])[] = [];
  const changes: VsyncPeriodChangeTimeline[] = [];
  const actions = {
    apply: (config: number, time: bigint) => void done.push([config, time]),
    changed: (timeline: VsyncPeriodChangeTimeline) => void changes.push(timeline),
  };
  return { clock, done, changes, made: new ConfigSwitch(clock, new Timing(0n, PERIOD), needsRefresh, actions) };
}

Deno.test("ConfigSwitch.plan() takes the next vsync, the wanted one, or the one behind a dark panel", () => {
  const { made } = open(false),
    times = (seamless: boolean, desiredTimeNanos: bigint) => {
      return made.plan(1, seamless, { ...CONSTRAINTS, desiredTimeNanos }).newVsyncAppliedTimeNanos;
    };
  assertEquals([times(true, 0n), times(true, 20n), times(true, 21n), times(false, 0n)], [10n, 20n, 30n, 100_000_010n]);
});

Deno.test("ConfigSwitch leaves two periods for the frame that a change needs, and puts the change off without one", () => {
  const { clock, done, changes, made } = open(true);
  const timeline = made.plan(7, true, CONSTRAINTS);
  assertEquals(timeline, { newVsyncAppliedTimeNanos: 30n, refreshRequired: true, refreshTimeNanos: 20n });
  clock.advance(15n);
  assertEquals([done, changes.map((each) => each.newVsyncAppliedTimeNanos)], [[], [40n]]);
  made.frame();
  clock.advance(20n);
  assertEquals([done, made.isPending], [[[7, 40n]], false]);
});
