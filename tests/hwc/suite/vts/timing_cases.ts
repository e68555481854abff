/**
 * VTS cases about configs that change while frames go on, and about when
 * frames appear.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { ERROR } from "../../../../hwc/types.ts";
import { CALLBACK, POWER_MODE } from "../../../../hwc/device_types.ts";
import type { VsyncPeriodChangeTimeline } from "../../../../hwc/composer_records.ts";
import { DEFAULT_DEVICE, RICH } from "../device_options.ts";
import { assertSignals, type Case, MILLISECOND, NO_DISPLAY, NO_FENCE, SECOND, type Stage } from "../stage.ts";

type Run = Case["run"];

async function change(stage: Stage, config: number, after = 0n, seamlessRequired = false) {
  const desiredTimeNanos = stage.subject.now() + after;
  return await stage.composer.setActiveConfigWithConstraints(stage.display, config, {
    desiredTimeNanos,
    seamlessRequired,
  });
}

function periodNow({ composer, display }: Stage): number | Promise<number> {
  return composer.getDisplayVsyncPeriod(display);
}

async function sendFrame(stage: Stage): Promise<void> {
  (await stage.frame()).close();
}

/** Each config gets another of its group, and what the display says is what the config says, and stays so. */
export const vsyncPeriodFollows: Run = async (stage) => {
  const { composer, display } = stage;
  await stage.powerOn();
  await stage.fullLayer();
  for (const config of [2, 1, 3, 1]) {
    const { newVsyncAppliedTimeNanos } = await change(stage, config);
    await stage.subject.pass(newVsyncAppliedTimeNanos - stage.subject.now());
    const wanted = await composer.getDisplayAttribute(display, config, 3);
    assertEquals([await periodNow(stage), await composer.getActiveConfig(display)], [wanted, config]);
    await stage.subject.pass(SECOND / 4n);
    assertEquals(await periodNow(stage), wanted);
  }
};

/** Not before it is wanted, soon within a group, and the vsyncs' own period changes then. */
async function assertChanges(stage: Stage, after: bigint): Promise<VsyncPeriodChangeTimeline> {
  const before = await periodNow(stage), now = stage.subject.now(), timeline = await change(stage, 2, after);
  assert(timeline.newVsyncAppliedTimeNanos >= now + after);
  assert(timeline.newVsyncAppliedTimeNanos <= now + after + SECOND);
  await stage.subject.pass(timeline.newVsyncAppliedTimeNanos - now - 1n);
  assertEquals(await periodNow(stage), before, "until it is applied nothing changes");
  return timeline;
}

/** At once. */
export const setActiveConfigWithConstraints: Run = async (stage) => {
  await stage.powerOn();
  await stage.fullLayer();
  await assertChanges(stage, 0n);
  await stage.subject.pass(1n);
  assertEquals(await periodNow(stage), 11_111_111);
};

/** In 300 ms. */
export const setActiveConfigDelayed: Run = async (stage) => {
  await stage.powerOn();
  await stage.fullLayer();
  await assertChanges(stage, 300n * MILLISECOND);
  await stage.subject.pass(1n);
  assertEquals(await periodNow(stage), 11_111_111);
};

/** A change that needs a frame, and none comes: the device tells another time, until one comes. */
export const setActiveConfigMissRefresh: Case = {
  options: { ...DEFAULT_DEVICE, panels: [{ ...RICH, refreshToSwitch: true }] },
  async run(stage) {
    await stage.powerOn();
    await stage.fullLayer();
    const before = await periodNow(stage),
      { refreshRequired, refreshTimeNanos, newVsyncAppliedTimeNanos } = await change(stage, 2);
    assert(refreshRequired && refreshTimeNanos < newVsyncAppliedTimeNanos);
    await stage.subject.pass(newVsyncAppliedTimeNanos - stage.subject.now());
    assertEquals(await periodNow(stage), before, "nothing was sent");
    assert(stage.timelines.length > 0);
    await sendFrame(stage);
    const { newVsyncAppliedTimeNanos: applied } = stage.timelines.at(-1)!;
    await stage.subject.pass(applied - stage.subject.now());
    assertEquals(await periodNow(stage), 11_111_111);
  },
};

/** Between groups it is seen. */
export const seamlessNotAllowed: Run = async (stage) => {
  await stage.powerOn();
  await stage.fails(ERROR.SEAMLESS_NOT_ALLOWED, () => change(stage, 3, 0n, true));
  await change(stage, 2, 0n, true);
};

/** For a while it is not possible; when it is, the device says so. */
export const seamlessNotPossible: Run = async (stage) => {
  const { subject: { controls }, display, composer } = stage, possible: bigint[] = [];
  await composer.registerCallback(CALLBACK.SEAMLESS_POSSIBLE, (display: bigint) => void possible.push(display));
  await stage.powerOn();
  controls.blockSeamless(display, true);
  await stage.fails(ERROR.SEAMLESS_NOT_POSSIBLE, () => change(stage, 2, 0n, true));
  controls.blockSeamless(display, false);
  await stage.subject.pass(0n);
  assertEquals(possible, [display]);
  await change(stage, 2, 0n, true);
};

/** As they say. */
export const withConstraintsBadDisplay: Run = (stage) =>
  stage.fails(
    ERROR.BAD_DISPLAY,
    () =>
      stage.composer.setActiveConfigWithConstraints(NO_DISPLAY, 1, { desiredTimeNanos: 0n, seamlessRequired: true }),
  );
export const withConstraintsBadConfig: Run = (stage) => stage.fails(ERROR.BAD_CONFIG, () => change(stage, 99));

/** A frame that is wanted at a time appears no earlier than half a period before. */
export function expectedPresentTime(frames: number | undefined): Run {
  return async (stage) => {
    const { composer, display, subject } = stage;
    await stage.powerOn();
    const layer = await stage.fullLayer(), period = BigInt(await periodNow(stage));
    await assertSignals(stage, await stage.frame());
    const expected = frames === undefined ? 0n : subject.now() + BigInt(frames) * period;
    await composer.setLayerBuffer(display, layer, await stage.allocateScreen(), NO_FENCE);
    await composer.setExpectedPresentTime(display, frames === undefined ? 0n : expected);
    await composer.validateDisplay(display);
    const sent = subject.now(), fence = await composer.presentDisplay(display);
    await subject.pass(10n * period);
    const { signalTime } = fence;
    fence.close();
    const soonest = expected > sent ? expected : sent;
    assert(signalTime !== undefined && signalTime >= expected - period / 2n && signalTime <= soonest + period);
  };
}

/** After so long without a frame, VSYNC_IDLE; not while frames come. */
export const idleTimer: Run = async (stage) => {
  const { composer, display } = stage, idle: bigint[] = [];
  await composer.registerCallback(CALLBACK.VSYNC_IDLE, (display: bigint) => void idle.push(display));
  await stage.powerOn();
  await stage.fullLayer();
  await composer.setIdleTimerEnabled(display, 200);
  for (let frame = 0; frame < 5; frame++) {
    await sendFrame(stage);
    await stage.subject.pass(100n * MILLISECOND);
  }
  assertEquals(idle, []);
  await stage.subject.pass(150n * MILLISECOND);
  assertEquals(idle, [display]);
  await composer.setIdleTimerEnabled(display, 0);
  await sendFrame(stage);
  await stage.subject.pass(SECOND);
  assertEquals(idle, [display], "0 is never");
};

/** Negative times are none; virtual displays don't rest. */
export const idleTimerBadParameter: Run = (stage) =>
  stage.fails(ERROR.BAD_PARAMETER, () => stage.composer.setIdleTimerEnabled(stage.display, -1));
export const idleTimerUnsupported: Run = async (stage) => {
  const { display } = await stage.composer.createVirtualDisplay(64, 64, 1);
  await stage.fails(ERROR.UNSUPPORTED, () => stage.composer.setIdleTimerEnabled(display, 10));
};

async function debugCallbacks(stage: Stage): Promise<number[]> {
  const periods: number[] = [], { composer, display } = stage;
  await composer.registerCallback(
    CALLBACK.REFRESH_RATE_CHANGED_DEBUG,
    (_: bigint, period: number) => void periods.push(period),
  );
  await stage.powerOn();
  await composer.setRefreshRateChangedCallbackDebugEnabled(display, true);
  return periods;
}

/** Another refresh rate is told while that is wanted. */
export const refreshRateDebug: Run = async (stage) => {
  const { composer, display } = stage, periods = await debugCallbacks(stage);
  await composer.setActiveConfig(display, 2);
  await stage.subject.pass(0n);
  assertEquals(periods, [11_111_111]);
  await composer.setRefreshRateChangedCallbackDebugEnabled(display, false);
  await composer.setActiveConfig(display, 1);
  await stage.subject.pass(0n);
  assertEquals(periods.length, 1);
};

/** Resting changes no rate here. */
export const refreshRateDebugIdle: Run = async (stage) => {
  const periods = await debugCallbacks(stage);
  await stage.subject.pass(SECOND);
  assertEquals(periods, []);
};

/** With the change, not with the request. */
export const refreshRateDebugConstraints: Run = async (stage) => {
  const periods = await debugCallbacks(stage), { newVsyncAppliedTimeNanos } = await change(stage, 2, 50n * MILLISECOND);
  assertEquals(periods, []);
  await stage.subject.pass(newVsyncAppliedTimeNanos - stage.subject.now());
  assertEquals(periods, [11_111_111]);
  await stage.composer.setPowerMode(stage.display, POWER_MODE.OFF);
};
