import type { VsyncPeriodChangeConstraints, VsyncPeriodChangeTimeline } from "../../composer_records.ts";
import { Alarm } from "../time/alarm.ts";
import type { Clock } from "../time/clock.ts";
import type { Timing } from "../time/vsyncs.ts";

/** A panel whose group changes goes dark for so long, in nanoseconds. */
const MODE_SET = 100_000_000n;

/** A change of the config on its way. */
interface Pending {
  readonly config: number;
  /** The time at which the client wants the change. */
  readonly desired: bigint;
  readonly seamless: boolean;
  timeline: VsyncPeriodChangeTimeline;
  refreshed: boolean;
}

/** The effects of a change of the config. */
export interface SwitchActions {
  /** The config is another from a time on. */
  apply(config: number, time: bigint): void;
  /** The change will happen at another time than announced. */
  changed(timeline: VsyncPeriodChangeTimeline): void;
}

/** Changes a panel's config at a vsync, as constraints want it. */
export class ConfigSwitch {
  readonly #clock: Clock;
  readonly #timing: Timing;
  readonly #actions: SwitchActions;
  readonly #needsRefresh: boolean;
  readonly #alarm: Alarm;
  #pending: Pending | undefined;

  /** `needsRefresh`: a seamless change happens with a frame only. */
  constructor(clock: Clock, timing: Timing, needsRefresh: boolean, actions: SwitchActions) {
    this.#clock = clock;
    this.#timing = timing;
    this.#needsRefresh = needsRefresh;
    this.#actions = actions;
    this.#alarm = new Alarm(clock, () => this.#ring());
  }

  /** Whether a change is on its way. */
  get isPending(): boolean {
    return this.#pending !== undefined;
  }

  /** Plans a change; `seamless` if the group stays. */
  plan(config: number, seamless: boolean, constraints: VsyncPeriodChangeConstraints): VsyncPeriodChangeTimeline {
    const desired = constraints.desiredTimeNanos;
    const timeline = this.#timeline(desired, seamless);
    this.#pending = { config, desired, seamless, timeline, refreshed: false };
    this.#setAlarm();
    return timeline;
  }

  /** A frame was presented: the change that waited for one happens. */
  frame(): void {
    if (!this.#pending) return;
    this.#pending.refreshed = true;
    this.#setAlarm();
  }

  /** Nothing changes. */
  cancel(): void {
    this.#pending = undefined;
    this.#alarm.clear();
  }

  #timeline(desired: bigint, seamless: boolean): VsyncPeriodChangeTimeline {
    const now = this.#clock.now(),
      period = BigInt(this.#timing.period),
      refreshRequired = seamless && this.#needsRefresh;
    // A frame that has to be sent needs a vsync to be sent in.
    const earliest = (refreshRequired ? now + 2n * period : now) + (seamless ? 0n : MODE_SET);
    const applied = this.#timing.from(desired > earliest ? desired : earliest);
    return {
      newVsyncAppliedTimeNanos: applied,
      refreshRequired,
      refreshTimeNanos: refreshRequired ? applied - period : 0n,
    };
  }

  #setAlarm(): void {
    const { timeline, refreshed } = this.#pending!;
    this.#alarm.set(
      timeline.refreshRequired && !refreshed ? timeline.refreshTimeNanos : timeline.newVsyncAppliedTimeNanos,
    );
  }

  #ring(): void {
    const pending = this.#pending!, { timeline, refreshed } = pending;
    if (timeline.refreshRequired && !refreshed) {
      pending.timeline = this.#timeline(pending.desired, pending.seamless);
      this.#setAlarm();
      return this.#actions.changed(pending.timeline);
    }
    this.#pending = undefined;
    this.#actions.apply(pending.config, timeline.newVsyncAppliedTimeNanos);
  }
}
