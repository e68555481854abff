import { openPixelLibraries } from "../pixman/library.ts";
import { PixmanPainter } from "../pixman/painter.ts";
import type { Painter } from "../plan/step.ts";
import { tsPainter } from "../ts/painter.ts";
import type { BandKind } from "./band.ts";

/** A painter of a kind, of a thread's own: pixman's images must not be shared. */
export function makePainter(kind: BandKind): Painter {
  return kind === "ts" ? tsPainter : new PixmanPainter(openPixelLibraries());
}
