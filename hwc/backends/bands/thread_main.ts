/**
 * A thread that paints bands: told once what it is, then what to draw, again
 * and again.
 *
 * @module
 */
import type { Painter } from "../plan/step.ts";
import { type BandJob, type BandSetup, makePainter, TEXT, WORD } from "./band.ts";

/** The part of a Worker's scope that is used here. */
interface Scope {
  onmessage: ((event: { data: BandSetup | BandJob }) => void) | null;
}

let control: Int32Array<SharedArrayBuffer> | undefined, painter: Painter | undefined;

(globalThis as unknown as Scope).onmessage = ({ data }) => {
  if ("control" in data) {
    control = new Int32Array(data.control);
    painter = makePainter(data.kind);
    count(WORD.READY);
  } else draw(data);
};

/** A failure is counted, for who waits must not wait for good. */
function draw({ target, run }: BandJob): void {
  try {
    painter!.paint(target, run);
  } catch (error) {
    say(String(error));
    Atomics.add(control!, WORD.FAILED, 1);
  }
  count(WORD.DONE);
}

function say(text: string): void {
  const bytes = new TextEncoder().encode(text).subarray(0, TEXT.size);
  new Uint8Array(control!.buffer, TEXT.at).set(bytes);
  Atomics.store(control!, WORD.LENGTH, bytes.length);
}

function count(word: number): void {
  Atomics.add(control!, word, 1);
  Atomics.notify(control!, word);
}
