import { writeElf } from "./asm/elf.ts";
import { A64Emitter } from "./emit/a64/emitter.ts";
import { X64Emitter } from "./emit/x64/emitter.ts";
import type { Emitter } from "./emit/emitter.ts";

/** The machines a stub can be written for, as `Deno.build.arch` names them. */
const EMITTERS: Readonly<Record<string, new () => Emitter>> = { x86_64: X64Emitter, aarch64: A64Emitter };

/**
 * The file of a shared library to link programs with: it exports these
 * functions, and a program linked with it asks for `soname` when it starts.
 * Called as it is, each function does nothing and returns 0. Throws a
 * `TypeError` for a machine other than `x86_64` and `aarch64`.
 */
export function linkStub(
  soname: string,
  names: Iterable<string>,
  arch: string = Deno.build.arch,
): Uint8Array<ArrayBuffer> {
  if (!(arch in EMITTERS)) throw new TypeError(`Cannot write a library for "${arch}": name x86_64 or aarch64`);
  const emitter = new EMITTERS[arch]();
  for (const name of names) emitter.nothing(name);
  emitter.code.reserve();
  return writeElf(emitter.code, soname).bytes;
}
