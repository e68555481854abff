import type { Emitter } from "../emit/emitter.ts";
import { Image, type ImageFile, uniqueName } from "./image.ts";

/** Writes machine code while the process runs; see `assembler.ts`. */
export interface Assembler {
  /** Makes an empty emitter for the processor that this process runs on. */
  emitter(): Emitter;
  /** Writes the emitter's code as a shared object. */
  write(emitter: Emitter, soname: string): ImageFile;
}

let assembler: Assembler | undefined;

/** Enables the emission of machine code from now on. */
export function useAssembler(using: Assembler): void {
  assembler = using;
}

/** Returns an emitter for the processor of this process; `undefined` if no assembler is loaded. */
export function emitterForThisMachine(): Emitter | undefined {
  return assembler?.emitter();
}

/** Loads the emitter's code; `undefined` if the system refuses emitted code. */
export function loadEmitted(emitter: Emitter, soname: string = uniqueName()): Image | undefined {
  return Image.load(assembler!.write(emitter, soname));
}
