import type { Rect } from "../../types.ts";
import { openPixelLibraries } from "../pixman/library.ts";
import { PixmanPainter } from "../pixman/painter.ts";
import { intersect } from "../../rects.ts";
import type { Painter, Run } from "../plan/step.ts";
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
