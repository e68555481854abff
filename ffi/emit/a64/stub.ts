import { FP, SP, X16, X17 } from "../../asm/a64.ts";
import type { CheckedStubSpec, CheckPaths, RefuseSlots } from "../emitter.ts";
import { checkRegisters } from "../check.ts";
import { INVOKE } from "../layout.ts";
import type { A64Machine } from "./machine.ts";

/** The most integer arguments that travel in registers. */
const REGISTERS = 8;

/** Byte offset from the stack pointer, at entry, of the integer argument at `index`. */
function stackArgument(index: number): number {
  return 8 * (index - REGISTERS);
}

/** Writes a call stub: turns arena offsets into addresses, then jumps to the function that the last argument gives. */
export function writeStub(code: A64Machine, shape: string, byTable: boolean, arenaBase: number): void {
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
function addBase(code: A64Machine, register: number): void {
  const isNull = code.label();
  code.mov32(register, register);
  code.jumpIfZero(register, isNull);
  code.addRegister(register, register, X16);
  code.place(isNull);
}

function addBaseOnStack(code: A64Machine, offset: number): void {
  const isNull = code.label();
  code.load32(X17, SP, offset);
  code.jumpIfZero(X17, isNull);
  code.addRegister(X17, X17, X16);
  code.place(isNull);
  code.store(SP, offset, X17);
}

function jumpByTable(code: A64Machine, count: number): void {
  if (count >= REGISTERS) code.load32(X17, SP, stackArgument(count));
  code.load(X16, 0);
  if (count < REGISTERS) code.loadIndexed32(X16, X16, count);
  else code.loadIndexed(X16, X16, X17);
  code.jumpRegister(X16);
}

function jumpByAddress(code: A64Machine, count: number): void {
  if (count < REGISTERS) code.mov(X16, count);
  else code.load(X16, SP, stackArgument(count));
  code.jumpRegister(X16);
}

/**
 * Writes a stub by table for a first argument that may be anything. An argument
 * that is not a handle goes to the refusal. Takes no arena offsets.
 */
export function writeCheckedStub(
  code: A64Machine,
  { shape, set }: CheckedStubSpec,
  slots: RefuseSlots,
  paths: CheckPaths,
): void {
  const elsewhere = code.label(), count = shape.length, { table, offset } = checkRegisters(code);
  if (count < REGISTERS) code.mov32(offset, count);
  else code.load32(offset, SP, stackArgument(count));
  code.jumpIfZero(0, elsewhere);
  code.load(table, 0);
  code.jumpUnlessSlot(table, slots[set], elsewhere);
  code.jumpIndexed(table, offset);
  code.place(elsewhere);
  code.jump(paths[set]);
}

/** void invoke(block): loads every argument register and the stack from the block, calls, stores both results. */
export function writeInvoke(code: A64Machine): void {
  const block = 19;
  code.begin("invoke");
  code.enter(32);
  code.store(SP, 16, block);
  code.mov(block, 0);
  code.load(9, block, INVOKE.stackCount);
  code.growStack(9);
  const next = code.here(), done = code.label();
  code.jumpIfZero(9, done);
  code.subtract(9, 9, 1);
  code.addRegister(10, block, 9, 3);
  code.load(10, 10, INVOKE.stack);
  code.movStack(11, SP);
  code.storeScaled(10, 11, 9);
  code.jump(next);
  code.place(done);
  code.loadFloats(block, INVOKE.floats);
  code.loadIntegers(block, INVOKE.integers);
  code.load(X16, block, INVOKE.target);
  code.callRegister(X16);
  code.store(block, INVOKE.result, 0);
  code.storeFloat(block, INVOKE.floatResult, 0);
  code.movStack(SP, FP);
  code.load(block, SP, 16);
  code.leave(32);
  code.ret();
}
