import { NOT_EQUAL, R10, R11, RAX, RBP, RBX, RDI, RSP } from "../../asm/x64.ts";
import { checkRegisters } from "../check.ts";
import type { CheckedStubSpec, CheckPaths, RefuseSlots } from "../emitter.ts";
import { INVOKE } from "../layout.ts";
import { ARGUMENTS, type X64Machine } from "./machine.ts";

/** Byte offset from the stack pointer, at entry, of the integer argument at `index`. */
function stackArgument(index: number): number {
  return 8 * (index - ARGUMENTS.length) + 8; // the return address lies below
}

/** Writes a call stub: turns arena offsets into addresses, then jumps to the function that the last argument gives. */
export function writeStub(code: X64Machine, shape: string, byTable: boolean, arenaBase: number): void {
  if (shape.includes("o")) code.loadSlot(R11, arenaBase);
  for (let index = 0; index < shape.length; index++) {
    if (shape[index] !== "o") continue;
    if (index < ARGUMENTS.length) addBase(code, ARGUMENTS[index]);
    else addBaseOnStack(code, stackArgument(index));
  }
  if (byTable) jumpByTable(code, shape.length);
  else jumpByAddress(code, shape.length);
}

/** The upper half of a u32 argument is undefined. The move of the register onto itself clears it. */
function addBase(code: X64Machine, register: number): void {
  code.mov32(register, register);
  code.leaIndexed(RAX, R11, register);
  code.test32(register);
  code.moveIf(NOT_EQUAL, register, RAX);
}

function addBaseOnStack(code: X64Machine, offset: number): void {
  code.load32(RAX, RSP, offset);
  code.leaIndexed(R10, R11, RAX);
  code.test32(RAX);
  code.moveIf(NOT_EQUAL, RAX, R10);
  code.store(RSP, offset, RAX);
}

function jumpByTable(code: X64Machine, count: number): void {
  const index = count < ARGUMENTS.length ? ARGUMENTS[count] : R10;
  loadIndex(code, index, count);
  code.load(RAX, RDI);
  code.jumpIndexed(RAX, index);
}

/** Loads the 32-bit argument behind `count` others into a register. */
function loadIndex(code: X64Machine, register: number, count: number): void {
  if (count < ARGUMENTS.length) code.mov32(register, ARGUMENTS[count]);
  else code.load32(register, RSP, stackArgument(count));
}

function jumpByAddress(code: X64Machine, count: number): void {
  if (count < ARGUMENTS.length) code.jumpRegister(ARGUMENTS[count]);
  else code.jumpMemory(RSP, stackArgument(count));
}

/**
 * Writes a stub by table for a first argument that may be anything. An argument
 * that is not a handle goes to the refusal. Takes no arena offsets.
 */
export function writeCheckedStub(
  code: X64Machine,
  { shape, set }: CheckedStubSpec,
  slots: RefuseSlots,
  paths: CheckPaths,
): void {
  const elsewhere = code.label(), count = shape.length;
  code.jumpIfZero(RDI, elsewhere);
  code.load(RAX, RDI);
  code.compareSlot(RAX, slots[set]);
  code.jumpIf(NOT_EQUAL, elsewhere);
  const index = count < ARGUMENTS.length ? ARGUMENTS[count] : R10;
  loadIndex(code, index, count);
  code.jumpIndexed(RAX, index);
  code.place(elsewhere);
  loadIndex(code, checkRegisters(code).offset, count);
  code.jump(paths[set]);
}

/** void invoke(block): loads every argument register and the stack from the block, calls, stores both results. */
export function writeInvoke(code: X64Machine): void {
  code.begin("invoke");
  code.push(RBP);
  code.mov(RBP, RSP);
  code.push(RBX);
  code.push(RBX); // twice, for alignment
  code.mov(RBX, RDI);
  code.load(RAX, RBX, INVOKE.stackCount);
  const next = code.here(), done = code.label();
  code.jumpIfZero(RAX, done);
  code.pushScaled(RBX, RAX, INVOKE.stack - 8);
  code.decrement(RAX);
  code.jump(next);
  code.place(done);
  code.loadFloats(RBX, INVOKE.floats);
  code.loadIntegers(RBX, INVOKE.integers);
  code.movImmediate32(RAX, 8); // the number of vector registers used, for variadic callees
  code.callMemory(RBX, INVOKE.target);
  code.store(RBX, INVOKE.result, RAX);
  code.storeFloat(RBX, INVOKE.floatResult, 0);
  code.lea(RSP, RBP, -16);
  code.pop(RBX);
  code.pop(RBX);
  code.pop(RBP);
  code.ret();
}
