import { Code } from "../asm/code.ts";
import { writeElf } from "../asm/elf.ts";

/** A function that returns 0, for one processor: the ELF machine number, an instruction that traps, and the code. */
interface Nothing {
  readonly machine: number;
  readonly filler: number;
  readonly bytes: readonly number[];
}

/** Two functions of a few bytes do not need the assemblers of two processors. */
const NOTHING: Readonly<Record<string, Nothing>> = {
  x86_64: { machine: 62, filler: 0xcccccccc, bytes: [0x31, 0xc0, 0xc3] }, // xor eax, eax; ret
  aarch64: { machine: 183, filler: 0xd4200020, bytes: [0, 0, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6] }, // mov w0, #0; ret
};

/** Code without references. */
class PlainCode extends Code {
  override readonly machine: number;

  constructor({ machine, filler }: Nothing) {
    super(filler);
    this.machine = machine;
  }

  protected override patch(): void {}
}

/**
 * Returns the file of a shared library for linking programs. The library
 * exports these functions, and a program linked with it asks for `soname` when
 * the program starts. Each function of the file itself does nothing and returns
 * 0. Throws a `TypeError` for machines other than `x86_64` and `aarch64`.
 */
export function linkStub(
  soname: string,
  names: Iterable<string>,
  arch: string = Deno.build.arch,
): Uint8Array<ArrayBuffer> {
  if (!Object.hasOwn(NOTHING, arch)) {
    throw new TypeError(`Cannot write a library for "${arch}": name x86_64 or aarch64`);
  }
  const code = new PlainCode(NOTHING[arch]);
  for (const name of names) {
    code.begin(name);
    for (const byte of NOTHING[arch].bytes) code.byte(byte);
  }
  code.reserve();
  return writeElf(code, soname).bytes;
}
