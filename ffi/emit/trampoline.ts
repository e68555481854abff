import type { Machine } from "./machine.ts";

/** Writes a jump through the dispatch table of the first argument. */
export function writeTrampoline(code: Machine, tableOffset: number): void {
  const [table] = code.scratch;
  code.load(table, code.arguments[0]);
  code.jumpMemory(table, tableOffset);
}

/** The same for a first argument that may be NULL. The result is 0 then. */
export function writeNullableTrampoline(code: Machine, tableOffset: number): void {
  const nothing = code.label();
  code.jumpIfZero(code.arguments[0], nothing);
  writeTrampoline(code, tableOffset);
  code.place(nothing);
  writeNothing(code);
}

/** Writes a function that returns 0. */
export function writeNothing(code: Machine): void {
  code.zero(code.result);
  code.ret();
}

/** Writes a jump to the address in a slot. */
export function writeSlotJump(code: Machine, slot: number): void {
  code.jumpSlot(slot);
}
