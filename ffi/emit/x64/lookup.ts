import { EQUAL, NOT_EQUAL, R10, R11, R8, R9, RAX, RCX, RDX, RSI, type X64 } from "../../asm/x64.ts";
import type { Label } from "../../asm/code.ts";
import { HASH_PRIME, HASH_SEED, LOOKUP, LOOKUP_TABLE } from "../layout.ts";

/** Offset, in the entry that {@linkcode writeFind} leaves in rdx, of the name's value. */
export const VALUE = LOOKUP_TABLE.entries + LOOKUP_TABLE.value;

/** Writes the lookup functions `(handle, name) -> address` and the body they share. */
export function writeLookups(code: X64, count: number, records: number): void {
  const body = code.label(), nothing = code.label(), miss = code.label();
  code.begin("lookups");
  for (let index = 0; index < count; index++) {
    code.alignEntry();
    code.slotAddress(R11, records + LOOKUP.size * index);
    code.jump(body);
  }
  code.place(body);
  code.test(RSI);
  code.jumpIf(EQUAL, nothing);
  writeFind(code, miss);
  code.load(RAX, RDX, VALUE);
  code.ret();
  code.place(miss);
  code.load(RAX, R11, LOOKUP.miss);
  code.test(RAX);
  code.jumpIf(EQUAL, nothing);
  code.jumpRegister(RAX);
  code.place(nothing);
  code.xor32(RAX, RAX);
  code.ret();
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
  code.test32(RDX);
  code.jumpIf(EQUAL, done);
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
  code.test(R8);
  code.jumpIf(EQUAL, miss);
  code.xor32(RCX, RCX);
  const compare = code.here(), different = code.label();
  code.load8Indexed(R9, RSI, RCX);
  code.compare8Indexed(R9, R8, RCX);
  code.jumpIf(NOT_EQUAL, different);
  code.increment(RCX);
  code.test32(R9);
  code.jumpIf(NOT_EQUAL, compare);
  code.jump(found);
  code.place(different);
  code.increment32(RAX);
  code.jump(probe);
  code.place(found);
}
