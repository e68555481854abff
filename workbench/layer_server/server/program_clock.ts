import type { OtherMemory } from "../../../ffi/arena_memory.ts";
import type { Processor } from "../commands.ts";

/** The clock's function in the library that the kernel maps into every process. */
const CLOCK = { x86_64: "__vdso_clock_gettime", aarch64: "__kernel_clock_gettime" } as const;
/** Key of the auxiliary vector: the address of that library. */
const AT_SYSINFO_EHDR = 33n;
/** `\x7fELF` and the class of 64 bits. */
const ELF64 = 0x2_464c_457fn, ELF64_BITS = 0xff_ffff_ffffn;
/** Offsets in Elf64_Ehdr and Elf64_Shdr, of `elf.h`. */
const EHDR = { sections: 40n, count: 60n }, SHDR = { size: 64, type: 4n, address: 16n, bytes: 32n, link: 40n };
/** Offsets in Elf64_Sym, of `elf.h`, and the type of a section of symbols. */
const SYM = { size: 24, value: 8n }, SHT_DYNSYM = 11;
/** The most sections and symbols that are looked at: the kernel's library has some 20 of each. */
const MOST = 64;

/**
 * Returns the address of a function in a program that tells the time as
 * `clock_gettime` does and asks no kernel; 0n if there is none. The vector is
 * the program's auxiliary vector.
 */
export function programClock(memory: OtherMemory, vector: BigUint64Array, processor: Processor): bigint {
  const entry = vector.findIndex((key, index) => index % 2 === 0 && key === AT_SYSINFO_EHDR);
  const base = entry < 0 ? 0n : vector[entry + 1];
  if (base === 0n || (memory.peek64(base) & ELF64_BITS) !== ELF64) return 0n;
  const sections = tableAt(base + memory.peek64(base + EHDR.sections), SHDR.size, memory.peek(base + EHDR.count, 2));
  const symbols = sections.find((section) => memory.peek(section + SHDR.type, 4) === SHT_DYNSYM);
  const strings = symbols === undefined ? undefined : sections[memory.peek(symbols + SHDR.link, 4)];
  if (symbols === undefined || strings === undefined) return 0n;
  const names = base + memory.peek64(strings + SHDR.address), size = Number(memory.peek64(symbols + SHDR.bytes));
  const found = tableAt(base + memory.peek64(symbols + SHDR.address), SYM.size, size / SYM.size)
    .find((symbol) => memory.text(names + BigInt(memory.peek(symbol, 4)), 64) === CLOCK[processor]);
  return found === undefined ? 0n : base + memory.peek64(found + SYM.value);
}

/** Returns the addresses of a table's entries. */
function tableAt(first: bigint, size: number, count: number): bigint[] {
  return Array.from({ length: Math.min(MOST, count) }, (_, index) => first + BigInt(size * index));
}
