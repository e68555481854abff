import type { Emitter } from "../emit/emitter.ts";
import { Image, type ImageFile, uniqueName } from "./image.ts";

/** What writes machine code while the process runs; see `assembler.ts`. */
export interface Assembler {
  /** A writer for the machine that this process runs on, which holds nothing yet. */
  emitter(): Emitter;
  /** What a writer holds, as a shared object. */
  write(emitter: Emitter, soname: string): ImageFile;
}

let assembler: Assembler | undefined;

/** From now on, machine code can be emitted. */
export function useAssembler(using: Assembler): void {
  assembler = using;
}

/** A writer for the machine this process runs on; `undefined` if none is loaded. */
export function emitterForThisMachine(): Emitter | undefined {
  return assembler?.emitter();
}

/** Loads what an emitter holds; `undefined` when the system refuses emitted code. */
export function loadEmitted(emitter: Emitter, soname: string = uniqueName()): Image | undefined {
  return Image.load(assembler!.write(emitter, soname));
}
