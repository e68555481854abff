import { type A64, X16 } from "../../asm/a64.ts";

/** Writes a jump through the dispatch table of the first argument. */
export function writeTrampoline(code: A64, tableOffset: number): void {
  code.load(X16, 0);
  code.loadFar(X16, X16, tableOffset);
  code.jumpRegister(X16);
}

/** The same for a first argument that may be NULL. The result is 0 then. */
export function writeNullableTrampoline(code: A64, tableOffset: number): void {
  const nothing = code.label();
  code.jumpIfZero(0, nothing);
  writeTrampoline(code, tableOffset);
  code.place(nothing);
  code.ret(); // x0 is 0
}

/** Writes a function that returns 0. */
export function writeNothing(code: A64): void {
  code.movImmediate32(0, 0);
  code.ret();
}

/** Writes a jump to the address in a slot. */
export function writeSlotJump(code: A64, slot: number): void {
  code.jumpSlot(slot);
}
