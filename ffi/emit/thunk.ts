import type { Label } from "../asm/code.ts";
import type { ThunkSlots } from "./emitter.ts";
import { CROSSING, CROSSING_STATE, GATE, SPILL, THUNK } from "./layout.ts";
import type { Machine } from "./machine.ts";

/**
 * The registers of a thunk: any value, the block for the arguments, and the
 * {@linkcode THUNK} record. None holds an argument.
 */
export function thunkRegisters({ scratch: [value, block, record] }: Machine) {
  return { value, block, record } as const;
}

/**
 * Writes the thunks, the two tails they share, and `crossing`, to which the tails
 * lead other threads that must wait. `writeRecord` writes what records the call
 * in the thunk's ring and preserves every argument.
 */
export function writeThunks(code: Machine, slots: ThunkSlots, writeRecord: () => void): void {
  const body = code.label(), elsewhere = code.label(), nowhere = code.label(), { record } = thunkRegisters(code);
  code.begin("thunks");
  for (let index = 0; index < slots.count; index++) {
    code.alignEntry();
    code.slotAddress(record, slots.records + THUNK.size * index);
    code.jump(body);
  }
  code.place(body);
  writeNullCheck(code, nowhere);
  writeGate(code, elsewhere);
  writeAnswer(code, slots);
  code.place(elsewhere);
  writeRecord();
  writeElsewhere(code, THUNK.next, nowhere);
  code.place(nowhere);
  code.load(code.result, record, THUNK.failure);
  code.moveToFloat(0, code.result);
  code.ret();
  writeCrossing(code, slots, nowhere);
}

/** A thunk that reads the first argument's table cannot do so if the argument is NULL. */
function writeNullCheck(code: Machine, nowhere: Label): void {
  const goOn = code.label(), { value, record } = thunkRegisters(code);
  code.load(value, record, THUNK.nextInTable);
  code.jumpIfZero(value, goOn);
  code.jumpIfZero(code.arguments[0], nowhere);
  code.place(goOn);
}

/** Lets only the owner's thread through, and not on its way out of the shunned code. */
function writeGate(code: Machine, elsewhere: Label): void {
  const { value, block: start, record } = thunkRegisters(code);
  code.threadPointer(value);
  code.jumpUnlessMemory(value, record, THUNK.owner, elsewhere);
  code.returnAddress(value);
  code.load(start, record, THUNK.shunned);
  code.difference(value, start);
  code.jumpIfBelowMemory(value, record, THUNK.shunnedSize, elsewhere);
}

/** Spills the arguments, runs TypeScript, and returns the result. */
function writeAnswer(code: Machine, slots: ThunkSlots): void {
  const { block } = thunkRegisters(code);
  code.loadSlot(block, slots.spill);
  writeSpill(code, code.incoming());
  code.openFrame(0);
  code.callSlot(slots.callback);
  code.closeFrame(0);
  code.loadSlot(block, slots.spill);
  code.load(code.result, block, SPILL.result);
  code.moveToFloat(0, code.result);
  code.ret();
}

/**
 * Stores the call in a crossing on the stack and waits. If nobody answers,
 * continues elsewhere and preserves every argument.
 */
function writeCrossing(code: Machine, slots: ThunkSlots, nowhere: Label): void {
  const { value, block, record } = thunkRegisters(code), [crossing, gate] = code.arguments, { stack, result } = code;
  const gone = code.label();
  code.begin("crossing");
  const at = code.openFrame(CROSSING.size);
  code.lea(block, stack, at);
  writeSpill(code, code.incoming(CROSSING.size));
  code.store(stack, at + CROSSING.thunk, record);
  code.threadPointer(value);
  code.store(stack, at + CROSSING.thread, value);
  code.movImmediate32(value, CROSSING_STATE.waiting);
  code.store(stack, at + CROSSING.state, value);
  code.lea(crossing, stack, at);
  code.loadSlot(gate, slots.gate);
  code.callMemory(gate, GATE.wait);
  code.movImmediate32(block, CROSSING_STATE.answered);
  code.jumpIfDifferent32(result, block, gone);
  code.load(result, stack, at + SPILL.result);
  code.moveToFloat(0, result);
  code.closeFrame(CROSSING.size);
  code.ret();
  code.place(gone);
  code.load(record, stack, at + CROSSING.thunk);
  code.loadIntegers(stack, at + SPILL.integers);
  code.loadFloats(stack, at + SPILL.floats);
  code.closeFrame(CROSSING.size);
  writeElsewhere(code, THUNK.unanswered, nowhere);
}

/**
 * Stores the arguments in the block, and the failure as the result. `stack` is
 * the distance from the stack pointer to the arguments on the stack.
 */
function writeSpill(code: Machine, stack: number): void {
  const { value, block, record } = thunkRegisters(code), done = code.label();
  code.storeIntegers(block, SPILL.integers);
  code.storeFloats(block, SPILL.floats);
  code.lea(value, code.stack, stack);
  code.store(block, SPILL.stack, value);
  code.load(value, record, THUNK.failure);
  code.store(block, SPILL.result, value);
  code.load32(value, record, THUNK.index);
  code.store32(block, SPILL.index, value);
  code.load(value, record, THUNK.nextInTable);
  code.jumpIfZero(value, done);
  code.load(value, code.arguments[0]);
  code.store(block, SPILL.table, value);
  code.place(done);
}

/**
 * Continues at the address in a member of the thunk's record, or in the table,
 * or nowhere. Preserves every argument.
 */
function writeElsewhere(code: Machine, member: number, nowhere: Label): void {
  const byTable = code.label(), { value, block: place, record } = thunkRegisters(code);
  code.load(value, record, member);
  code.jumpIfZero(value, byTable);
  code.jumpRegister(value);
  code.place(byTable);
  code.load(value, record, THUNK.nextInTable);
  code.jumpIfZero(value, nowhere);
  code.load(place, code.arguments[0]);
  code.sum(place, place, value);
  code.loadBefore(value, place, 8);
  code.jumpIfZero(value, nowhere);
  code.jumpRegister(value);
}
