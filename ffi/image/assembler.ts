/**
 * Importing this module lets the process write machine code while it runs: the
 * code that depends on the script and is not in the images made beforehand.
 * Without this module, the library works as on a system that refuses such code.
 *
 * @module
 */
import { writeElf } from "../asm/elf.ts";
import type { Emitter } from "../emit/emitter.ts";
import { type ImageFile, useAssembler } from "./image.ts";

/** The assembler of the other processor is not loaded. */
const makeEmitter: (() => Emitter) | undefined = Deno.build.arch === "x86_64"
  ? (await import("../emit/x64/emitter.ts")).x64Emitter
  : Deno.build.arch === "aarch64"
  ? (await import("../emit/a64/emitter.ts")).a64Emitter
  : undefined;

if (makeEmitter) useAssembler({ emitter: makeEmitter, write });

function write({ code }: Emitter, soname: string): ImageFile {
  code.reserve(8);
  const { bytes, codeAt, dataAt, dynamicAt: tailAt } = writeElf(code, soname);
  const offsets = new Map(code.exported.map(({ name, offset }) => [name, offset]));
  const head = bytes.subarray(0, codeAt + code.length), tail = bytes.subarray(tailAt);
  return { head, tail, tailAt, soname, dataSize: code.dataSize, dataToCode: codeAt - dataAt, offsets };
}
