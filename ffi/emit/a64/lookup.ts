import { type A64, NE, X16, X17 } from "../../asm/a64.ts";
import type { Label } from "../../asm/code.ts";
import { HASH_PRIME, HASH_SEED, LOOKUP_TABLE } from "../layout.ts";
import { writeLookupFunctions } from "../lookup.ts";
import type { LookupRegisters } from "../machine.ts";

/** The register in which {@linkcode writeFind} leaves the address of the entry. */
const ENTRY = 14;
/** The registers of lookup functions. */
export const REGISTERS: LookupRegisters = {
  handle: 0,
  name: 1,
  result: 0,
  lookup: X17,
  entry: ENTRY,
  valueAt: LOOKUP_TABLE.value,
  table: X16,
};

/** Writes the lookup functions; see {@linkcode writeLookupFunctions}. */
export function writeLookups(code: A64, count: number, records: number): void {
  writeLookupFunctions(code, REGISTERS, writeFind, count, records);
}

/** Finds the name at x1 in the table of the record at x17, and leaves its entry in x14. Does not change x0 and x1. */
export function writeFind(code: A64, miss: Label): void {
  writeHash(code);
  writeProbe(code, miss);
}

/** Computes the hash of the name at x1 in w9. */
function writeHash(code: A64): void {
  code.movImmediate32(9, HASH_SEED);
  code.movImmediate32(11, HASH_PRIME);
  code.mov(10, 1);
  const next = code.here(), done = code.label();
  code.load8(12, 10);
  code.jumpIfZero32(12, done);
  code.xor32(9, 9, 12);
  code.multiply32(9, 9, 11);
  code.add(10, 10, 1);
  code.jump(next);
  code.place(done);
}

/** Searches the entries from the hash on until the name or a free entry. */
function writeProbe(code: A64, miss: Label): void {
  const table = 10, mask = 13, entry = ENTRY, name = 15;
  code.loadAcquire(table, X17); // the record's first field
  code.load32(mask, table, LOOKUP_TABLE.mask);
  const probe = code.here(), different = code.label(), found = code.label();
  code.and32(9, 9, mask);
  code.addRegister(entry, table, 9, LOOKUP_TABLE.entryShift);
  code.add(entry, entry, LOOKUP_TABLE.entries);
  code.loadAcquire(name, entry); // the name was published after the value beside it
  code.jumpIfZero(name, miss);
  code.movImmediate32(11, 0);
  const compare = code.here();
  code.load8Indexed(12, 1, 11);
  code.load8Indexed(X16, name, 11);
  code.compare32(12, X16);
  code.jumpIf(NE, different);
  code.add(11, 11, 1);
  code.jumpIfNotZero32(12, compare);
  code.jump(found);
  code.place(different);
  code.add32(9, 9, 1);
  code.jump(probe);
  code.place(found);
}
