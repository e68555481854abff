import type { AsyncComposer } from "../../composer.ts";
import { VSYNC } from "../../device_types.ts";
import { HwcError } from "../../hwc_error.ts";
import { ERROR } from "../../types.ts";
import type { FlingerDisplay } from "../displays/display.ts";
import { settle, type Work } from "../work.ts";

/** Turns the vsyncs of one display on while they are wanted. Without a display that is on, a timer stands in. */
export class VsyncSource {
  readonly #composer: AsyncComposer;
  readonly #tick: () => void;
  #display: FlingerDisplay | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = -1n;

  /** Makes a source that calls `tick` for a vsync where no display sends any. */
  constructor(composer: AsyncComposer, tick: () => void) {
    this.#composer = composer;
    this.#tick = tick;
  }

  /** Whether a vsync comes from the display whose vsyncs are wanted, and is new. */
  accepts(display: bigint, time: bigint): boolean {
    if (this.#display?.id !== display || time === this.#last) return false;
    this.#last = time;
    return true;
  }

  /** The display whose vsyncs are coming; `undefined` for none, or for a timer. */
  get display(): FlingerDisplay | undefined {
    return this.#display;
  }

  /** Whether vsyncs come from the fastest of these displays. */
  isFastest(displays: readonly FlingerDisplay[]): boolean {
    const source = this.#display;
    if (!source?.isActive || !displays.includes(source)) return false;
    return displays.every(({ output, vsyncPeriod }) => output || vsyncPeriod >= source.vsyncPeriod);
  }

  /**
   * Makes vsyncs come from the fastest of these displays; from the primary display for work that no panel waits for; or
   * from none.
   */
  *follow(displays: readonly FlingerDisplay[], wanting: readonly FlingerDisplay[], isWanted: boolean): Work {
    const physical = displays.filter(({ output, isActive }) => !output && isActive);
    const waiting = physical.filter((display) => wanting.includes(display));
    const next = isWanted ? fastest(waiting.length > 0 ? waiting : physical) : undefined;
    this.#setTimer(isWanted && !next && displays.some(({ output }) => output));
    const before = this.#display;
    if (next === before) return;
    this.#display = next;
    if (before && displays.includes(before)) yield* this.#disable(before);
    if (next) yield* this.#enable(next);
  }

  /** Stops the vsyncs of a display that will be turned off. */
  *leave(display: FlingerDisplay): Work {
    if (this.#display !== display) return;
    this.#display = undefined;
    yield* this.#disable(display);
  }

  /** Ends the timer and the vsyncs. */
  close(): void {
    this.#setTimer(false);
    this.#display = undefined;
  }

  /** Turns vsyncs on. A display that cannot is passed over: the next request finds another display. */
  *#enable(display: FlingerDisplay): Work {
    try {
      yield* this.#say(display, VSYNC.ENABLE);
    } catch (error) {
      this.#display = undefined;
      throw error;
    }
  }

  /** Turns vsyncs off. A display that has gone meanwhile sends none. */
  *#disable(display: FlingerDisplay): Work {
    try {
      yield* this.#say(display, VSYNC.DISABLE);
    } catch (error) {
      if (!(error instanceof HwcError && error.code === ERROR.BAD_DISPLAY)) throw error;
    }
  }

  *#say({ id }: FlingerDisplay, vsync: number): Work {
    if (id !== undefined) yield* settle(this.#composer.setVsyncEnabled(id, vsync));
  }

  #setTimer(on: boolean): void {
    if (on === (this.#timer !== undefined)) return;
    clearTimeout(this.#timer);
    const ring = () => {
      this.#timer = undefined;
      this.#tick();
    };
    this.#timer = on ? setTimeout(ring, 16) : undefined;
  }
}

/** The display with the shortest time between vsyncs. The primary one goes before others of equal speed. */
function fastest(displays: readonly FlingerDisplay[]): FlingerDisplay | undefined {
  const primaryFirst = [...displays].sort((one, other) => Number(other.isPrimary) - Number(one.isPrimary));
  return primaryFirst.reduce<FlingerDisplay | undefined>(
    (best, one) => best && best.vsyncPeriod <= one.vsyncPeriod ? best : one,
    undefined,
  );
}
