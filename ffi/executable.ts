import { libcAddress } from "./libc.ts";
import { invoke, peek32, peek64 } from "./machine.ts";

/** Machine code in memory. */
export interface CodeRange {
  /** Where it begins. */
  readonly address: bigint;
  /** How many bytes it has. */
  readonly size: bigint;
}

/** Keys of getauxval: where the program headers of the executable are, the size of one, and how many. */
const AT_PHDR = 3n, AT_PHENT = 4n, AT_PHNUM = 5n;
const PT_LOAD = 1, PT_PHDR = 6, PF_X = 1;

let found: CodeRange | undefined;

/** The code of the program itself, Deno or what was compiled with it, without its libraries; nothing if not known. */
export function executableCode(): CodeRange {
  return found ??= findCode();
}

function findCode(): CodeRange {
  const headers = programHeaders(), own = headers.find(({ type }) => type === PT_PHDR);
  const code = headers.filter(({ type, flags }) => type === PT_LOAD && (flags & PF_X) !== 0);
  if (!own || code.length === 0) return { address: 0n, size: 0n }; // not known
  const bias = auxiliary(AT_PHDR) - own.address;
  const first = code.reduce((least, { address }) => address < least ? address : least, code[0].address);
  const end = code.reduce((most, { address, size }) => address + size > most ? address + size : most, first);
  return { address: bias + first, size: end - first };
}

/** A segment of an executable, as its Elf64_Phdr has it. */
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
  return invoke(libcAddress("getauxval"), "q:q", [key]) as bigint;
}
