import { writeElf } from "../asm/elf.ts";
import type { Emitter, StampSpec } from "../emit/emitter.ts";
import { emitMoreWith } from "./core.ts";
import { Image, type ImageFile, uniqueName } from "./image.ts";

/** The assembler of the other processor is not loaded. */
const makeEmitter: (() => Emitter) | undefined = Deno.build.arch === "x86_64"
  ? (await import("../emit/x64/emitter.ts")).x64Emitter
  : Deno.build.arch === "aarch64"
  ? (await import("../emit/a64/emitter.ts")).a64Emitter
  : undefined;

emitMoreWith(emitMore);

/** A writer for the machine this process runs on; `undefined` if there is none. */
export function emitterForThisMachine(): Emitter | undefined {
  return makeEmitter?.();
}

/** Loads what an emitter holds; `undefined` when the system refuses emitted code. */
export function loadEmitted(emitter: Emitter, soname: string = uniqueName()): Image | undefined {
  return Image.load(emittedFile(emitter, soname));
}

/** What an emitter holds, as a shared object. */
function emittedFile({ code }: Emitter, soname: string): ImageFile {
  code.reserve(8);
  const { bytes, codeAt, dataAt } = writeElf(code, soname);
  const offsets = new Map(code.exported.map(({ name, offset }) => [name, offset]));
  return { bytes, soname, dataSize: code.dataSize, dataToCode: codeAt - dataAt, offsets };
}

/** Stubs and terminators that the generated image lacks. */
function emitMore(stubs: readonly string[], stamps: readonly StampSpec[]): [Image, number] | undefined {
  const emitter = emitterForThisMachine();
  if (!emitter) return;
  const arenaBase = emitter.code.reserve();
  for (const name of stubs) emitter.stub(name, name.slice(2), name[0] === "t", arenaBase);
  for (const spec of stamps) emitter.stamp(spec);
  const image = loadEmitted(emitter);
  return image && [image, arenaBase];
}
