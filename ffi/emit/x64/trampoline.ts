import { RAX, RDI, type X64 } from "../../asm/x64.ts";

/** Writes a jump through the dispatch table of the first argument. */
export function writeTrampoline(code: X64, tableOffset: number): void {
  code.load(RAX, RDI);
  code.jumpMemory(RAX, tableOffset);
}

/** The same for a first argument that may be NULL. The result is 0 then. */
export function writeNullableTrampoline(code: X64, tableOffset: number): void {
  const nothing = code.label();
  code.jumpIfZero(RDI, nothing);
  writeTrampoline(code, tableOffset);
  code.place(nothing);
  writeNothing(code);
}

/** Writes a function that returns 0. */
export function writeNothing(code: X64): void {
  code.xor32(RAX, RAX);
  code.ret();
}

/** Writes a jump to the address in a slot. */
export function writeSlotJump(code: X64, slot: number): void {
  code.jumpSlot(slot);
}
