import type { Label } from "../asm/code.ts";
import { LOOKUP } from "./layout.ts";
import type { LookupRegisters, Machine } from "./machine.ts";

/**
 * Writes the lookup functions `(handle, name) -> address` and the body they
 * share. `find` finds the name in the table of the record.
 */
export function writeLookupFunctions<Assembler extends Machine>(
  code: Assembler,
  registers: LookupRegisters,
  find: (code: Assembler, miss: Label) => void,
  count: number,
  records: number,
): void {
  const { lookup, name, entry, valueAt, result, table } = registers;
  const body = code.label(), nothing = code.label(), miss = code.label();
  code.begin("lookups");
  for (let index = 0; index < count; index++) {
    code.alignEntry();
    code.slotAddress(lookup, records + LOOKUP.size * index);
    code.jump(body);
  }
  code.place(body);
  code.jumpIfZero(name, nothing);
  find(code, miss);
  code.load(result, entry, valueAt);
  code.ret();
  code.place(miss);
  code.load(table, lookup, LOOKUP.miss);
  code.jumpIfZero(table, nothing);
  code.jumpRegister(table);
  code.place(nothing);
  code.zero(result);
  code.ret();
}
