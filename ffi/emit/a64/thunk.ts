import { type A64, LO, LR, NE, SP, X16, X17 } from "../../asm/a64.ts";
import type { Label } from "../../asm/code.ts";
import type { ThunkSlots } from "../emitter.ts";
import { SPILL, THUNK } from "../layout.ts";
import { writeRecord } from "./ring.ts";

/** Writes the thunks and the two tails they share. */
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
  code.subtractRegister(X16, LR, 9); // where the caller goes on
  code.compare(X16, 10);
  code.jumpIf(LO, elsewhere);
  code.loadSlot(10, slots.spill);
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
  writeElsewhere(code, nowhere);
}

/** A thunk that goes by the first argument's table has nothing to go by when that is NULL. */
function writeNullCheck(code: A64, nowhere: Label): void {
  const goOn = code.label();
  code.load(9, X17, THUNK.nextInTable);
  code.jumpIfZero(9, goOn);
  code.jumpIfZero(0, nowhere);
  code.place(goOn);
}

/** Leaves the arguments where TypeScript reads them, and the failure where it puts the result; x10 is the block. */
function writeSpill(code: A64): void {
  for (let index = 0; index < 8; index += 2) code.storePair(index, index + 1, 10, SPILL.integers + 8 * index);
  for (let index = 0; index < 8; index += 2) code.storeFloatPair(index, index + 1, 10, SPILL.floats + 8 * index);
  code.movStack(9, SP);
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

/** On to the next in line with every argument in place, or back with the failure. */
function writeElsewhere(code: A64, nowhere: Label): void {
  const byTable = code.label();
  code.load(X16, X17, THUNK.next);
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
  code.place(nowhere);
  code.load(0, X17, THUNK.failure);
  code.moveToFloat(0, 0);
  code.ret();
}
