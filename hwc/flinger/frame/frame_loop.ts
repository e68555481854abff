import type { FlingerDisplay } from "../displays/display.ts";
import type { DisplayBook } from "../displays/display_book.ts";
import type { FrameContext } from "./frame_context.ts";
import type { LayerBook } from "../layers/layer_book.ts";
import { type FlingerRelease, makeFrame } from "./make_frame.ts";
import { VsyncSource } from "./vsync_source.ts";
import type { Work, WorkQueue } from "../work.ts";

/** Frames that a display may have still to show when another is made. */
const MOST_PENDING = 2;
/** Milliseconds that a producer without a buffer waits for a display. */
const PATIENCE = 100;

/** The parts of a frame. */
export interface FrameParts {
  readonly context: FrameContext;
  readonly release: FlingerRelease;
  readonly work: WorkQueue;
  readonly displays: DisplayBook;
  readonly layers: LayerBook;
}

/** Makes frames: wakes once a vsync, and only while something changed or is still to be shown. */
export class FrameLoop {
  /** The flinger's counters. */
  readonly counts = { wakes: 0, vsyncs: 0, latched: 0, missed: 0 };
  readonly #parts: FrameParts;
  readonly #vsync: VsyncSource;
  #isTicking = false;
  #isClosed = false;

  /** Makes a loop that sleeps until work comes. */
  constructor(parts: FrameParts) {
    this.#parts = parts;
    this.#vsync = new VsyncSource(parts.context.composer, () => this.#wake(0n));
  }

  /** There is something to do: at the next vsync. */
  schedule(): void {
    if (this.#isClosed) return;
    this.#parts.work.add(() => this.#vsync.isOn ? nothing() : this.follow());
  }

  /** A vsync came. */
  onVsync(display: bigint, time: bigint): void {
    if (this.#isClosed || !this.#vsync.accepts(display, time)) return;
    this.counts.vsyncs++;
    this.#wake(time + this.#parts.displays.primaryPeriod);
  }

  /** A producer on this thread waits for a buffer, so that no vsync can come: the display is waited for instead. */
  hurry(): void {
    const { work, displays } = this.#parts;
    if (work.isBusy || this.#isClosed) return;
    for (const { lastPresent, pending } of displays.all) if (pending > 0) lastPresent?.wait(PATIENCE);
    this.#wake(0n);
  }

  /** Makes vsyncs come from an active display while they are wanted. */
  *follow(): Work {
    yield* this.#vsync.follow(this.#parts.displays.all, this.#wantsVsync);
  }

  /** Ends the vsyncs of a display before it is turned off. */
  *leave(display: FlingerDisplay): Work {
    yield* this.#vsync.leave(display);
  }

  /** Makes no more frames. */
  stop(): void {
    this.#isClosed = true;
  }

  /** Ends vsyncs on this side, after the composer was told. */
  close(): void {
    this.#vsync.close();
  }

  get #hasWork(): boolean {
    if (this.#isClosed) return false;
    const { layers, displays } = this.#parts;
    return layers.isWaiting || displays.all.some(({ isActive, isDirty }) => isActive && isDirty);
  }

  get #wantsVsync(): boolean {
    return !this.#isClosed && (this.#hasWork || this.#parts.displays.all.some(({ pending }) => pending > 0));
  }

  #wake(expectedPresent: bigint): void {
    if (this.#isClosed || this.#isTicking) return; // the one before is not done
    this.#isTicking = true;
    this.#parts.work.add(() => this.#tick(expectedPresent));
  }

  *#tick(expectedPresent: bigint): Work {
    try {
      for (const display of this.#parts.displays.all) display.settle();
      if (this.#hasWork) yield* this.#frame(expectedPresent);
      yield* this.follow();
    } finally {
      this.#isTicking = false;
    }
  }

  *#frame(expectedPresent: bigint): Work {
    const { layers, displays } = this.#parts, active = displays.all.filter(({ isActive }) => isActive);
    if (active.length === 0) return;
    if (active.some(({ pending }) => pending >= MOST_PENDING)) {
      this.counts.missed++;
      return;
    }
    layers.change();
    this.counts.latched += layers.latch(expectedPresent === 0n ? undefined : expectedPresent);
    if (active.some(({ isDirty }) => isDirty)) yield* this.#compose(active);
    layers.giveBack();
  }

  *#compose(active: readonly FlingerDisplay[]): Work {
    this.counts.wakes++;
    const { context, release } = this.#parts;
    // All go on if one does, but virtual ones that nobody would see a difference of.
    const chosen = active.filter(({ output, isDirty }) => {
      return isDirty || !output || output.wantsAll || release === 9;
    });
    for (const display of chosen) {
      display.isWanted = display.isDirty || (display.output?.wantsAll ?? true);
      display.isDirty = false;
    }
    yield* makeFrame(context, chosen, release);
  }
}

function* nothing(): Work {}
