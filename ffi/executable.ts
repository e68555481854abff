import { libcAddress } from "./libc.ts";
import { invokeAddress, peek32, peek64 } from "./machine.ts";

/** Machine code in memory. */
export interface CodeRange {
  /** Address of the first byte. */
  readonly address: bigint;
  /** The size in bytes; 0n if the range is unknown. */
  readonly size: bigint;
}

/** Keys of getauxval: the address of the executable's program headers, the size of one, and their number. */
const AT_PHDR = 3n, AT_PHENT = 4n, AT_PHNUM = 5n;
const PT_LOAD = 1, PT_PHDR = 6, PF_X = 1;

let found: CodeRange | undefined;

/**
 * Returns the range of the program's own code (Deno, or a program compiled with
 * Deno), without its libraries. The range is empty if it is unknown.
 */
export function executableCode(): CodeRange {
  return found ??= findCode();
}

function findCode(): CodeRange {
  const headers = programHeaders(), own = headers.find(({ type }) => type === PT_PHDR);
  const code = headers.filter(({ type, flags }) => type === PT_LOAD && (flags & PF_X) !== 0);
  if (!own || code.length === 0) return { address: 0n, size: 0n }; // unknown
  const bias = auxiliary(AT_PHDR) - own.address;
  const first = code.reduce((least, { address }) => address < least ? address : least, code[0].address);
  const end = code.reduce((most, { address, size }) => address + size > most ? address + size : most, first);
  return { address: bias + first, size: end - first };
}

/** A segment of an executable: the fields of an Elf64_Phdr. */
interface Segment {
  type: number;
  flags: number;
  address: bigint;
  size: bigint;
}

function programHeaders(): Segment[] {
  const at = auxiliary(AT_PHDR), step = auxiliary(AT_PHENT);
  return Array.from({ length: Number(auxiliary(AT_PHNUM)) }, (_, index) => {
    const header = at + step * BigInt(index);
    return {
      type: peek32(header),
      flags: peek32(header + 4n),
      address: peek64(header + 16n),
      size: peek64(header + 40n),
    };
  });
}

/** `unsigned long getauxval(unsigned long type)` */
function auxiliary(key: bigint): bigint {
  return invokeAddress(libcAddress("getauxval"), "q:q", [key]) as bigint;
}
