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
  /** The number of the first band; all bands of all frames are numbered, modulo 2^32. */
  readonly first: number;
  /** The number of bands. */
  readonly count: number;
}

/**
 * Words of the control block: the number of the next band that nobody has taken, the frame's finished and failed bands,
 * ready threads, bytes of the last failure's message.
 */
export const WORD = { NEXT: 0, DONE: 1, FAILED: 2, READY: 3, LENGTH: 4 } as const;
/** Offset and largest length of that message, in our block. */
const TEXT = { at: 32, size: 480 } as const;
/** Bands for each thread: a thread that gets little of a core, or a band that takes long, delays a frame by one band. */
const BANDS = 3;

/** The words that threads count in. */
type Control = Int32Array<SharedArrayBuffer>;

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

/**
 * Paints the bands that nobody has taken yet, one after another. A band that fails is counted as done, for who waits must
 * not wait for good. Returns the error of the last one that failed here.
 */
export function paintBands(
  { target, run, first, count }: BandJob,
  painter: Painter,
  control: Control,
  buffer?: GraphicBuffer,
): unknown {
  const bands = bandsOf(run, count);
  let failure: unknown;
  for (let band = taken(control, first, count); band !== undefined; band = taken(control, first, count)) {
    try {
      painter.paint(target, bands[band], buffer);
    } catch (error) {
      say(control, String(failure = error));
      Atomics.add(control, WORD.FAILED, 1);
    }
    Atomics.add(control, WORD.DONE, 1);
    Atomics.notify(control, WORD.DONE);
  }
  return failure;
}

/** Takes the next band of a frame. Of a frame that is over there is none, however late a thread hears of that frame. */
function taken(control: Control, first: number, count: number): number | undefined {
  for (;;) {
    const next = Atomics.load(control, WORD.NEXT), band = next - first | 0;
    if (band < 0 || band >= count) return undefined;
    if (Atomics.compareExchange(control, WORD.NEXT, next, next + 1 | 0) === next) return band;
  }
}

function say(control: Control, text: string): void {
  const bytes = new TextEncoder().encode(text).subarray(0, TEXT.size);
  new Uint8Array(control.buffer, TEXT.at).set(bytes);
  Atomics.store(control, WORD.LENGTH, bytes.length);
}

/** Pixels below which threads cost more than they save. */
const LEAST_PIXELS = 1 << 20;
/** Milliseconds that a thread may take to start, and to draw a band. */
const PATIENCE = 10_000;

/** Paints bands of a frame on several threads, of which this is one. Small frames it paints alone. */
export class BandPainter implements Painter {
  /** The name of the painter that the threads have. */
  readonly name: string;
  readonly #own: Painter;
  readonly #threads: readonly Worker[];
  readonly #control: Control;
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
    const control = this.#control, count = BANDS * (this.#threads.length + 1);
    this.#await(WORD.READY, this.#threads.length);
    Atomics.store(control, WORD.DONE, 0);
    Atomics.store(control, WORD.FAILED, 0);
    const job = { target, run, first: Atomics.load(control, WORD.NEXT), count }, sent = { ...job, run: sendable(run) };
    for (const thread of this.#threads) thread.postMessage(sent);
    const failure = paintBands(job, this.#own, control, buffer);
    this.#await(WORD.DONE, count); // whatever happens, nobody draws into memory that is given back
    if (failure instanceof CompositionError) throw failure;
    if (Atomics.load(control, WORD.FAILED) > 0) throw new CompositionError("device", this.#whatWasSaid());
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

  /** Waits until a word has counted so far. */
  #await(word: number, count: number): void {
    for (;;) {
      const seen = Atomics.load(this.#control, word);
      if (seen >= count) return;
      if (Atomics.wait(this.#control, word, seen, PATIENCE) !== "timed-out") continue;
      const advice = "may this program start Workers that have --allow-ffi?";
      throw new CompositionError("device", `Cannot compose: a thread does not answer; ${advice}`);
    }
  }
}
