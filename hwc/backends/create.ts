import type { CompositionBackend } from "./backend.ts";
import { backendOf } from "./compose.ts";
import { openPixelLibraries } from "./pixman/library.ts";
import { PixmanPainter } from "./pixman/painter.ts";
import { referencePainter } from "./reference/painter.ts";
import { tsPainter } from "./ts/painter.ts";

/** Every format, blend mode and rule, pixel by pixel: the oracle of the others. Slow. */
export function createReferenceBackend(): CompositionBackend {
  return backendOf("reference", [referencePainter]);
}

/** TypeScript alone, a loop for every kind of row. Writes RGBA, RGBX and BGRA of eight bits by the P-rule. */
export function createTsBackend(): CompositionBackend {
  return backendOf("ts", [tsPainter]);
}

/**
 * pixman, with libyuv for YUV: libraries of the system, called directly. Throws
 * a `CompositionError` `missing-library` without pixman; without libyuv it
 * draws no YUV.
 */
export function createPixmanBackend(): CompositionBackend {
  return backendOf("pixman", [new PixmanPainter(openPixelLibraries())]);
}
