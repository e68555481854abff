import { type A64, NE, SP, X16, X17 } from "../../asm/a64.ts";
import type { CheckedStubSpec, CheckPaths, RefuseSlots } from "../emitter.ts";
import { OFFSET } from "./check.ts";

/** How many integer arguments travel in registers. */
export const REGISTERS = 8;

/** Byte offset from the stack pointer, at entry, of the integer argument at `index`. */
export function stackArgument(index: number): number {
  return 8 * (index - REGISTERS);
}

/** Writes a call stub: turns arena offsets into addresses, then jumps to the function that the last argument gives. */
export function writeStub(code: A64, shape: string, byTable: boolean, arenaBase: number): void {
  if (shape.includes("o")) code.loadSlot(X16, arenaBase);
  for (let index = 0; index < shape.length; index++) {
    if (shape[index] !== "o") continue;
    if (index < REGISTERS) addBase(code, index);
    else addBaseOnStack(code, stackArgument(index));
  }
  if (byTable) jumpByTable(code, shape.length);
  else jumpByAddress(code, shape.length);
}

/** The upper half of a u32 argument is undefined. The move of the register onto itself clears it. */
function addBase(code: A64, register: number): void {
  const isNull = code.label();
  code.mov32(register, register);
  code.jumpIfZero(register, isNull);
  code.addRegister(register, register, X16);
  code.place(isNull);
}

function addBaseOnStack(code: A64, offset: number): void {
  const isNull = code.label();
  code.load32(X17, SP, offset);
  code.jumpIfZero(X17, isNull);
  code.addRegister(X17, X17, X16);
  code.place(isNull);
  code.store(X17, SP, offset);
}

function jumpByTable(code: A64, count: number): void {
  if (count >= REGISTERS) code.load32(X17, SP, stackArgument(count));
  code.load(X16, 0);
  if (count < REGISTERS) code.loadIndexed32(X16, X16, count);
  else code.loadIndexed(X16, X16, X17);
  code.jumpRegister(X16);
}

function jumpByAddress(code: A64, count: number): void {
  if (count < REGISTERS) code.mov(X16, count);
  else code.load(X16, SP, stackArgument(count));
  code.jumpRegister(X16);
}

/**
 * Writes a stub by table for a first argument that may be anything. An argument
 * that is not a handle goes to the refusal. Takes no arena offsets.
 */
export function writeCheckedStub(
  code: A64,
  { shape, set }: CheckedStubSpec,
  slots: RefuseSlots,
  paths: CheckPaths,
): void {
  const elsewhere = code.label(), count = shape.length;
  if (count < REGISTERS) code.mov32(OFFSET, count);
  else code.load32(OFFSET, SP, stackArgument(count));
  code.jumpIfZero(0, elsewhere);
  code.load(X16, 0);
  code.loadSlot(X17, slots[set]);
  code.compare(X16, X17);
  code.jumpIf(NE, elsewhere);
  code.loadIndexed(X16, X16, OFFSET);
  code.jumpRegister(X16);
  code.place(elsewhere);
  code.jump(paths[set]);
}
