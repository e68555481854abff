import { type A64, LO, LR, NE, SP, X16, X17 } from "../../asm/a64.ts";
import type { Label } from "../../asm/code.ts";
import type { ThunkSlots } from "../emitter.ts";
import { DOOR, SPILL, THUNK, VISIT, VISIT_STATE } from "../layout.ts";
import { writeRecord } from "./ring.ts";

/** Writes the thunks, the two tails they share, and `visit`, to which the tails lead other threads that must wait. */
export function writeThunks(code: A64, slots: ThunkSlots): void {
  const body = code.label(), elsewhere = code.label(), nowhere = code.label();
  code.begin("thunks");
  for (let index = 0; index < slots.count; index++) {
    code.alignEntry();
    code.slotAddress(X17, slots.records + THUNK.size * index);
    code.jump(body);
  }
  code.place(body);
  writeNullCheck(code, nowhere);
  code.threadPointer(X16);
  code.load(9, X17, THUNK.owner);
  code.compare(X16, 9);
  code.jumpIf(NE, elsewhere);
  code.load(9, X17, THUNK.shunned);
  code.load(10, X17, THUNK.shunnedSize);
  code.subtractRegister(X16, LR, 9); // the caller's return address
  code.compare(X16, 10);
  code.jumpIf(LO, elsewhere);
  code.loadSlot(10, slots.spill);
  code.movStack(9, SP);
  writeSpill(code);
  code.enter(16);
  code.loadSlot(X16, slots.callback);
  code.callRegister(X16);
  code.leave(16);
  code.loadSlot(10, slots.spill);
  code.load(0, 10, SPILL.result);
  code.moveToFloat(0, 0);
  code.ret();
  code.place(elsewhere);
  writeRecord(code);
  writeElsewhere(code, THUNK.next, nowhere);
  code.place(nowhere);
  code.load(0, X17, THUNK.failure);
  code.moveToFloat(0, 0);
  code.ret();
  writeVisit(code, slots, nowhere);
}

/**
 * Stores the call in a visit on the stack and waits. If nobody answers,
 * continues elsewhere and preserves every argument.
 */
function writeVisit(code: A64, slots: ThunkSlots, nowhere: Label): void {
  const frame = VISIT.size + 16 + 15 & ~15, visit = 16, gone = code.label();
  code.begin("visit");
  code.movStack(9, SP);
  code.enter(frame);
  code.add(10, SP, visit);
  writeSpill(code);
  code.store(X17, 10, VISIT.thunk);
  code.threadPointer(X16);
  code.store(X16, 10, VISIT.thread);
  code.movImmediate32(9, VISIT_STATE.waiting);
  code.store(9, 10, VISIT.state);
  code.mov(0, 10);
  code.loadSlot(1, slots.door);
  code.load(X16, 1, DOOR.wait);
  code.callRegister(X16);
  code.add(10, SP, visit);
  code.movImmediate32(9, VISIT_STATE.answered);
  code.compare32(0, 9);
  code.jumpIf(NE, gone);
  code.load(0, 10, SPILL.result);
  code.moveToFloat(0, 0);
  code.leave(frame);
  code.ret();
  code.place(gone);
  code.load(X17, 10, VISIT.thunk);
  for (let index = 0; index < 8; index += 2) code.loadPair(index, index + 1, 10, SPILL.integers + 8 * index);
  for (let index = 0; index < 8; index += 2) code.loadFloatPair(index, index + 1, 10, SPILL.floats + 8 * index);
  code.leave(frame);
  writeElsewhere(code, THUNK.unanswered, nowhere);
}

/** A thunk that reads the first argument's table cannot do so if the argument is NULL. */
function writeNullCheck(code: A64, nowhere: Label): void {
  const goOn = code.label();
  code.load(9, X17, THUNK.nextInTable);
  code.jumpIfZero(9, goOn);
  code.jumpIfZero(0, nowhere);
  code.place(goOn);
}

/**
 * Stores the arguments in the block at x10, and the failure as the result. x9
 * is the address of the arguments on the stack.
 */
function writeSpill(code: A64): void {
  for (let index = 0; index < 8; index += 2) code.storePair(index, index + 1, 10, SPILL.integers + 8 * index);
  for (let index = 0; index < 8; index += 2) code.storeFloatPair(index, index + 1, 10, SPILL.floats + 8 * index);
  code.store(9, 10, SPILL.stack);
  code.load(9, X17, THUNK.failure);
  code.store(9, 10, SPILL.result);
  code.load32(9, X17, THUNK.index);
  code.store32(9, 10, SPILL.index);
  const done = code.label();
  code.load(9, X17, THUNK.nextInTable);
  code.jumpIfZero(9, done);
  code.load(9, 0);
  code.store(9, 10, SPILL.table);
  code.place(done);
}

/**
 * Continues at the address in a member of the thunk's record, or in the table,
 * or nowhere. Preserves every argument.
 */
function writeElsewhere(code: A64, member: number, nowhere: Label): void {
  const byTable = code.label();
  code.load(X16, X17, member);
  code.jumpIfZero(X16, byTable);
  code.jumpRegister(X16);
  code.place(byTable);
  code.load(X16, X17, THUNK.nextInTable);
  code.jumpIfZero(X16, nowhere);
  code.load(9, 0);
  code.addRegister(X16, X16, 9);
  code.subtract(X16, X16, 8);
  code.load(X16, X16);
  code.jumpIfZero(X16, nowhere);
  code.jumpRegister(X16);
}
