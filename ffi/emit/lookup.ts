import type { Label } from "../asm/code.ts";
import { HASH_PRIME, HASH_SEED, LOOKUP, LOOKUP_TABLE } from "./layout.ts";
import type { Machine } from "./machine.ts";

/** The values in the registers of a lookup beside the handle and the name, which are the arguments. */
interface LookupRegisters {
  /** Before: the address of the {@linkcode LOOKUP} record. */
  readonly record: number;
  /** Afterwards: the address of the entry, from the start of the entries on. */
  readonly entry: number;
}

/** The registers with which {@linkcode writeFind} begins and ends. */
export function lookupRegisters(code: Machine): LookupRegisters {
  return { record: code.scratch[2], entry: code.arguments[2] };
}

/**
 * Writes `count` lookup functions `(handle, name) -> address`, whose records
 * are at `records`, and the body they share.
 */
export function writeLookups(code: Machine, count: number, records: number): void {
  const [, name] = code.arguments, [target] = code.scratch, { record, entry } = lookupRegisters(code);
  const body = code.label(), nothing = code.label(), miss = code.label();
  code.begin("lookups");
  for (let index = 0; index < count; index++) {
    code.alignEntry();
    code.slotAddress(record, records + LOOKUP.size * index);
    code.jump(body);
  }
  code.place(body);
  code.jumpIfZero(name, nothing);
  writeFind(code, miss);
  code.load(code.result, entry, LOOKUP_TABLE.entries + LOOKUP_TABLE.value);
  code.ret();
  code.place(miss);
  code.load(target, record, LOOKUP.miss);
  code.jumpIfZero(target, nothing);
  code.jumpRegister(target);
  code.place(nothing);
  code.zero(code.result);
  code.ret();
}

/**
 * Finds the name at the second argument in the table of the record, and leaves
 * its entry. Does not change the handle, the name and the record.
 */
export function writeFind(code: Machine, miss: Label): void {
  const [hash] = code.scratch;
  writeHash(code, hash);
  writeProbe(code, hash, miss);
}

/** Computes the hash of the name. */
function writeHash(code: Machine, hash: number): void {
  const [, name, byte, at, prime] = code.arguments;
  code.movImmediate32(hash, HASH_SEED);
  code.movImmediate32(prime, HASH_PRIME);
  code.mov(at, name);
  const next = code.here(), done = code.label();
  code.load8(byte, at);
  code.jumpIfZero32(byte, done);
  code.xor32(hash, byte);
  code.multiply32(hash, prime);
  code.lea(at, at, 1);
  code.jump(next);
  code.place(done);
}

/** Searches the entries from the hash on until the name or a free entry. */
function writeProbe(code: Machine, hash: number, miss: Label): void {
  const [, name, , index, known, byte] = code.arguments, [, table] = code.scratch;
  const { record, entry } = lookupRegisters(code);
  code.acquire(table, record); // the record's first field
  const probe = code.here(), different = code.label(), found = code.label();
  code.andMemory32(hash, table, LOOKUP_TABLE.mask);
  code.element(entry, table, hash, LOOKUP_TABLE.entryShift);
  code.acquire(known, entry, LOOKUP_TABLE.entries + LOOKUP_TABLE.name); // published after the value beside it
  code.jumpIfZero(known, miss);
  code.zero(index);
  const compare = code.here();
  code.load8Indexed(byte, name, index);
  code.jumpUnlessByte(byte, known, index, different);
  code.lea(index, index, 1);
  code.jumpIfNotZero32(byte, compare);
  code.jump(found);
  code.place(different);
  code.lea(hash, hash, 1);
  code.jump(probe);
  code.place(found);
}
