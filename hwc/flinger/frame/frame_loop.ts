import type { FlingerDisplay } from "../displays/display.ts";
import type { DisplayBook } from "../displays/display_book.ts";
import type { FrameContext } from "./frame_context.ts";
import type { FlingerLayer } from "../layers/flinger_layer.ts";
import type { LayerBook } from "../layers/layer_book.ts";
import { type FlingerRelease, makeFrame } from "./make_frame.ts";
import { VsyncSource } from "./vsync_source.ts";
import type { Work, WorkQueue } from "../work.ts";

/** The most frames that wait for a display when another frame is made. */
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

/**
 * Makes frames: wakes once a vsync, and only while something changed or is still to be shown. Each display has its own
 * pace: a wake makes a frame of the displays that changed and have room for one.
 */
export class FrameLoop {
  /** The flinger's counters. */
  readonly counts = { wakes: 0, vsyncs: 0, latched: 0, missed: 0, unsaid: 0 };
  readonly #parts: FrameParts;
  readonly #vsync: VsyncSource;
  #isTicking = false;
  #isClosed = false;

  /** Makes a loop that sleeps until work comes. */
  constructor(parts: FrameParts) {
    this.#parts = parts;
    this.#vsync = new VsyncSource(parts.context.composer, () => this.#wake(0n));
  }

  /** Asks for a frame at the next vsync. */
  schedule(): void {
    if (this.#isClosed) return;
    const { work, displays } = this.#parts;
    work.add(() => this.#vsync.isFastest(displays.all) ? nothing() : this.follow());
  }

  /** A vsync came. */
  onVsync(display: bigint, time: bigint): void {
    if (this.#isClosed || !this.#vsync.accepts(display, time)) return;
    this.counts.vsyncs++;
    this.#wake(time);
  }

  /**
   * Notes that a layer's producer on this thread waits for a buffer, so that no vsync can come. The producer then waits
   * for the display at whose pace the layer's frames are taken.
   */
  hurry(layer: FlingerLayer): void {
    const { work, displays, layers } = this.#parts;
    if (work.isBusy || this.#isClosed) return;
    const pacer = displays.pacers()(layers.rootStackOf(layer));
    if (pacer && pacer.pending > 0) pacer.lastPresent?.wait(PATIENCE);
    this.#wake(0n);
  }

  /** Makes vsyncs come from an active display while they are wanted. */
  *follow(): Work {
    const { displays, layers } = this.#parts, all = this.#isClosed ? [] : displays.all;
    if (this.#vsync.isFastest(all) && (this.#hasWork || all.some(({ pending }) => pending > 0))) return;
    const pacerOf = displays.pacers();
    const pacers = new Set(all.length === 0 ? [] : layers.waiting.map((layer) => pacerOf(layers.rootStackOf(layer))));
    const wanting = all.filter((one) => one.pending > 0 || one.isActive && (one.isDirty || pacers.has(one)));
    const isWanted = wanting.length > 0 || this.#hasWork;
    yield* this.#vsync.follow(displays.all, wanting, isWanted);
  }

  /** Ends the vsyncs of a display before it is turned off. */
  *leave(display: FlingerDisplay): Work {
    yield* this.#vsync.leave(display);
  }

  /** Makes no more frames. */
  stop(): void {
    this.#isClosed = true;
  }

  /** Ends vsyncs on this side, after the call to the composer. */
  close(): void {
    this.#vsync.close();
  }

  get #hasWork(): boolean {
    if (this.#isClosed) return false;
    const { layers, displays } = this.#parts;
    return layers.isWaiting || displays.all.some(({ isActive, isDirty }) => isActive && isDirty);
  }

  /** Makes the next frame at a time. Without a time, the frame is made as soon as the display has room. */
  #wake(time: bigint): void {
    if (this.#isClosed || this.#isTicking) return; // the one before is not done
    this.#isTicking = true;
    this.#parts.work.add(() => this.#tick(time));
  }

  *#tick(time: bigint): Work {
    try {
      for (const display of this.#parts.displays.all) display.settle();
      if (this.#hasWork) yield* this.#frame(time);
      yield* this.follow();
    } finally {
      this.#isTicking = false;
    }
  }

  *#frame(time: bigint): Work {
    const { layers, displays } = this.#parts, active = displays.all.filter(({ isActive }) => isActive);
    if (active.length === 0) return;
    const ready = new Set(active.filter((display) => this.#isReady(display, time)));
    if (ready.size === 0) {
      this.counts.missed++;
      return;
    }
    layers.change();
    const pacerOf = displays.pacers();
    this.counts.latched += layers.latch((layer) => {
      const pacer = pacerOf(layers.rootStackOf(layer));
      if (pacer && !ready.has(pacer)) return undefined;
      return time === 0n ? {} : { expectedPresent: time + (pacer?.vsyncPeriod ?? displays.primaryPeriod) };
    });
    const dirty = active.filter(({ isDirty }) => isDirty), chosen = dirty.filter((display) => ready.has(display));
    if (chosen.length > 0) yield* this.#compose(active, chosen, time);
    else if (dirty.length > 0) this.counts.missed++;
    layers.giveBack();
  }

  /**
   * Whether a display may get a frame: it has few to show still, and if vsyncs of another display wake it, the next of
   * these would come after its own.
   */
  #isReady({ id, output, pending, vsyncPeriod, lastFrame }: FlingerDisplay, time: bigint): boolean {
    if (pending >= MOST_PENDING) return false;
    const source = this.#vsync.display;
    if (output || time === 0n || !source || source.id === id) return true;
    return time - lastFrame + source.vsyncPeriod - source.vsyncPeriod / 8n > vsyncPeriod;
  }

  /** Displays on which nothing changed are left alone, but for outputs whose readers want every frame. */
  *#compose(active: readonly FlingerDisplay[], dirty: readonly FlingerDisplay[], time: bigint): Work {
    this.counts.wakes++;
    const { context, release } = this.#parts;
    const chosen = active.filter((display) => dirty.includes(display) || display.output?.wantsAll);
    for (const display of chosen) {
      display.isWanted = display.isDirty || (display.output?.wantsAll ?? true);
      display.isDirty = false;
      display.lastFrame = time;
    }
    yield* makeFrame(context, chosen, release);
  }
}

function* nothing(): Work {}
