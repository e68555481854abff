import { writeElf } from "./asm/elf.ts";
import { emitterFor } from "./emit/emitter_for.ts";

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
  const emitter = emitterFor(arch);
  if (!emitter) throw new TypeError(`Cannot write a library for "${arch}": name x86_64 or aarch64`);
  for (const name of names) emitter.nothing(name);
  emitter.code.reserve();
  return writeElf(emitter.code, soname).bytes;
}
