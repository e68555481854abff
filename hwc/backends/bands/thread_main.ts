/**
 * A thread that paints bands: told once what it is, then what to draw, again
 * and again.
 *
 * @module
 */
import type { Painter } from "../plan/step.ts";
import { type BandJob, type BandSetup, makePainter, paintBands, WORD } from "./band.ts";

/** The part of a Worker's scope that is used here. */
interface Scope {
  onmessage: ((event: { data: BandSetup | BandJob }) => void) | null;
}

let control: Int32Array<SharedArrayBuffer> | undefined, painter: Painter | undefined;

(globalThis as unknown as Scope).onmessage = ({ data }) => {
  if ("run" in data) return void paintBands(data, painter!, control!);
  control = new Int32Array(data.control);
  painter = makePainter(data.kind);
  Atomics.add(control, WORD.READY, 1);
  Atomics.notify(control, WORD.READY);
};
