import { NOT_EQUAL, R10, R11, R8, R9, RAX, RCX, RDI, RDX, RSI, type X64 } from "../../asm/x64.ts";
import type { Label } from "../../asm/code.ts";
import { HASH_PRIME, HASH_SEED, LOOKUP, LOOKUP_TABLE } from "../layout.ts";
import { writeLookupFunctions } from "../lookup.ts";
import type { LookupRegisters } from "../machine.ts";

/** The registers of lookup functions. */
export const REGISTERS: LookupRegisters = {
  handle: RDI,
  name: RSI,
  result: RAX,
  lookup: R11,
  entry: RDX,
  valueAt: LOOKUP_TABLE.entries + LOOKUP_TABLE.value,
  table: RAX,
};

/** Writes the lookup functions; see {@linkcode writeLookupFunctions}. */
export function writeLookups(code: X64, count: number, records: number): void {
  writeLookupFunctions(code, REGISTERS, writeFind, count, records);
}

/**
 * Finds the name at rsi in the table of the record at r11, and leaves its entry
 * in rdx. Does not change rdi and rsi.
 */
export function writeFind(code: X64, miss: Label): void {
  writeHash(code);
  writeProbe(code, miss);
}

/** Computes the hash of the name at rsi in eax. */
function writeHash(code: X64): void {
  code.movImmediate32(RAX, HASH_SEED);
  code.mov(RCX, RSI);
  const next = code.here(), done = code.label();
  code.load8(RDX, RCX);
  code.jumpIfZero32(RDX, done);
  code.xor32(RAX, RDX);
  code.multiply32(RAX, RAX, HASH_PRIME);
  code.increment(RCX);
  code.jump(next);
  code.place(done);
}

/** Searches the entries from the hash on until the name or a free entry. */
function writeProbe(code: X64, miss: Label): void {
  const probe = code.label(), found = code.label();
  code.load(R10, R11, LOOKUP.table);
  code.place(probe);
  code.andMemory32(RAX, R10, LOOKUP_TABLE.mask);
  code.mov32(RDX, RAX);
  code.shiftLeft(RDX, LOOKUP_TABLE.entryShift);
  code.add(RDX, R10);
  code.load(R8, RDX, LOOKUP_TABLE.entries + LOOKUP_TABLE.name);
  code.jumpIfZero(R8, miss);
  code.xor32(RCX, RCX);
  const compare = code.here(), different = code.label();
  code.load8Indexed(R9, RSI, RCX);
  code.compare8Indexed(R9, R8, RCX);
  code.jumpIf(NOT_EQUAL, different);
  code.increment(RCX);
  code.jumpIfNotZero32(R9, compare);
  code.jump(found);
  code.place(different);
  code.increment32(RAX);
  code.jump(probe);
  code.place(found);
}
