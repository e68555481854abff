import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { areaOfAll, intersect } from "../../rects.ts";
import type { Rect } from "../../types.ts";
import { CompositionError, type CompositionRule } from "../backend.ts";
import { openPixelLibraries } from "../pixman/library.ts";
import { PixmanPainter } from "../pixman/painter.ts";
import type { Painter, Run, Step } from "../plan/step.ts";
import type { Surface } from "../surface.ts";
import { tsPainter } from "../ts/painter.ts";

/** The kind of painter in the threads. */
export type BandKind = "pixman" | "ts";

/** The message that starts a thread. */
export interface BandSetup {
  readonly kind: BandKind;
  /** Words that threads count in; see {@linkcode WORD}. */
  readonly control: SharedArrayBuffer;
}

/** The message that makes a thread draw. */
export interface BandJob {
  readonly target: Surface;
  readonly run: Run;
}

/** Words of the control block: finished jobs, failed jobs, ready threads, bytes of the last failure's message. */
export const WORD = { DONE: 0, FAILED: 1, READY: 2, LENGTH: 3 } as const;
/** Offset and largest length of that message, in our block. */
export const TEXT = { at: 16, size: 496 } as const;

/** Cuts a run into bands of rows of about the same size, from the top. */
export function bandsOf(run: Run, count: number): Run[] {
  const top = Math.min(...run.area.map((rect) => rect.top)), bottom = Math.max(...run.area.map((rect) => rect.bottom));
  const edge = (n: number) => top + Math.round((bottom - top) * n / count);
  return Array.from({ length: count }, (_, n) => bandOf(run, edge(n), edge(n + 1)));
}

/** Returns the part of a run that is in some rows. */
function bandOf(run: Run, top: number, bottom: number): Run {
  const band = { left: 0, top, right: Number.MAX_SAFE_INTEGER, bottom };
  const within = (rects: readonly Rect[]) => rects.flatMap((rect) => intersect(rect, band) ?? []);
  const steps = run.steps.map((step) => ({ ...step, rects: within(step.rects) })).filter(({ rects }) =>
    rects.length > 0
  );
  return { ...run, steps, area: within(run.area), background: within(run.background) };
}

/** A run that can be sent to a thread: its plain data. */
export function sendable(run: Run): Run {
  const steps = run.steps.map((step) =>
    step.source ? { ...step, source: { ...step.source, buffer: undefined } } : step
  );
  return { ...run, steps };
}

/** A painter of a kind, of a thread's own: pixman's images must not be shared. */
export function makePainter(kind: BandKind): Painter {
  return kind === "ts" ? tsPainter : new PixmanPainter(openPixelLibraries());
}

/** Pixels below which threads cost more than they save. */
const LEAST_PIXELS = 1 << 20;
/** Milliseconds that a thread may take to start, and to draw a band. */
const PATIENCE = 10_000;

/** Paints bands of a frame on several threads; this one takes the first. Small frames it paints alone. */
export class BandPainter implements Painter {
  /** The name of the painter that the threads have. */
  readonly name: string;
  readonly #own: Painter;
  readonly #threads: readonly Worker[];
  readonly #control: Int32Array<SharedArrayBuffer>;
  readonly #least: number;

  /** Starts threads; frames of at least `least` pixels are shared with them. Throws a `CompositionError`. */
  constructor(kind: BandKind, count: number, least: number = LEAST_PIXELS) {
    this.#own = makePainter(kind);
    this.name = this.#own.name;
    this.#least = least;
    this.#control = new Int32Array(new SharedArrayBuffer(TEXT.at + TEXT.size));
    const module = new URL("./thread_main.ts", import.meta.url).href;
    this.#threads = Array.from({ length: count - 1 }, () => new Worker(module, { type: "module" }));
    for (const thread of this.#threads) thread.postMessage({ kind, control: this.#control.buffer });
  }

  /** As the threads' painter does. */
  writes(target: Surface, rule: CompositionRule): true | string {
    return this.#own.writes(target, rule);
  }

  /** As the threads' painter does. */
  can(step: Step, target: Surface, rule: CompositionRule): true | string {
    return this.#own.can(step, target, rule);
  }

  /** Draws. When it returns, the pixels are there. */
  paint(target: Surface, run: Run, buffer?: GraphicBuffer): void {
    if (areaOfAll(run.area) < this.#least || this.#threads.length === 0) return this.#own.paint(target, run, buffer);
    this.#await(WORD.READY);
    const [first, ...rest] = bandsOf(run, this.#threads.length + 1);
    Atomics.store(this.#control, WORD.DONE, 0);
    Atomics.store(this.#control, WORD.FAILED, 0);
    rest.forEach((band, index) => this.#threads[index].postMessage({ target, run: sendable(band) }));
    try {
      this.#own.paint(target, first, buffer);
    } finally {
      this.#await(WORD.DONE); // whatever happens, nobody draws into memory that is given back
    }
    if (Atomics.load(this.#control, WORD.FAILED) > 0) throw new CompositionError("device", this.#whatWasSaid());
  }

  /** Ends the threads. */
  close(): void {
    this.#threads.forEach((thread) => thread.terminate());
    this.#own.close();
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #whatWasSaid(): string {
    const length = Atomics.load(this.#control, WORD.LENGTH);
    const text = new Uint8Array(this.#control.buffer, TEXT.at, length).slice(); // shared memory cannot be decoded
    return `Cannot compose: a thread failed: ${new TextDecoder().decode(text)}`;
  }

  /** Waits until all threads have counted. */
  #await(word: number): void {
    for (;;) {
      const seen = Atomics.load(this.#control, word);
      if (seen >= this.#threads.length) return;
      if (Atomics.wait(this.#control, word, seen, PATIENCE) !== "timed-out") continue;
      const advice = "may this program start Workers that have --allow-ffi?";
      throw new CompositionError("device", `Cannot compose: a thread does not answer; ${advice}`);
    }
  }
}
