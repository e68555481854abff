import type { CaptureSpec } from "./emitter.ts";
import { CAPTURE_SIZE, CAPTURED, CHOICE } from "./layout.ts";
import type { Machine } from "./machine.ts";
import type { Routine, Variable } from "./routine.ts";

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

/**
 * Writes a function of one or two integers that calls one of two functions,
 * depending on the 32 bits of the first argument. `slot` holds the address of a
 * {@linkcode CHOICE}.
 */
export function writeChoice(routine: Routine, name: string, { slot, value }: { slot: number; value: number }): void {
  const choice: Variable = 0, first: Variable = 1, second: Variable = 2, bits: Variable = 3, wanted: Variable = 4;
  const own = routine.label(), end = routine.label(), cell = 0;
  routine.begin(name, 1);
  routine.argument(first, 0);
  routine.argument(second, 1);
  routine.storeCell(cell, first);
  routine.cellAddress(bits, cell);
  routine.load32(bits, bits);
  routine.set(wanted, value);
  routine.loadSlot(choice, slot);
  routine.pass(0, first);
  routine.pass(1, second);
  routine.ifEqual(bits, wanted, own);
  routine.callAt(choice, CHOICE.other);
  routine.jump(end);
  routine.place(own);
  routine.callAt(choice, CHOICE.own);
  routine.place(end);
  routine.wideResult(first);
  routine.finish({ variable: first });
}

/** Writes capturing functions, of three instructions that fit in 16 bytes, and the code they share. */
export function writeCaptures(code: Machine, { stackCounts, to }: CaptureSpec): void {
  const shared = code.label(), passOn = code.label(), start = code.length, { stack, result } = code;
  const [frame, index, stackCount] = code.arguments, [first, second] = code.scratch;
  stackCounts.forEach((count, at) => {
    code.length = start + CAPTURE_SIZE * at;
    code.movImmediate32(first, at);
    code.movImmediate32(second, count);
    code.jump(shared);
  });
  code.alignEntry();
  code.place(shared);
  const block = code.openFrame(CAPTURED.size);
  code.storeIntegers(stack, block + CAPTURED.integers);
  code.storeFloats(stack, block + CAPTURED.floats);
  code.lea(frame, stack, code.incoming(CAPTURED.size));
  code.store(stack, block + CAPTURED.stack, frame);
  code.lea(frame, stack, block);
  code.mov32(index, first);
  code.mov32(stackCount, second);
  code.call(to);
  code.jumpIfZero32(result, passOn);
  code.load(second, stack, block + CAPTURED.floatResult);
  code.moveToFloat(0, second);
  code.load(result, stack, block + CAPTURED.result);
  code.closeFrame(CAPTURED.size);
  code.ret();
  code.place(passOn);
  code.load(first, stack, block + CAPTURED.next);
  code.loadIntegers(stack, block + CAPTURED.integers);
  code.loadFloats(stack, block + CAPTURED.floats);
  code.closeFrame(CAPTURED.size);
  code.jumpRegister(first);
}
