import { BELOW, NOT_EQUAL, R10, R11, RAX, RDI, RSI, RSP, type X64 } from "../../asm/x64.ts";
import type { Label } from "../../asm/code.ts";
import type { ThunkSlots } from "../emitter.ts";
import { DOOR, SPILL, THUNK, VISIT, VISIT_STATE } from "../layout.ts";
import { writeRecord } from "./ring.ts";
import { ARGUMENTS } from "./stub.ts";

/** Writes the thunks, the two tails they share, and `visit`, to which the tails lead other threads that must wait. */
export function writeThunks(code: X64, slots: ThunkSlots): void {
  const body = code.label(), elsewhere = code.label(), nowhere = code.label();
  code.begin("thunks");
  for (let index = 0; index < slots.count; index++) {
    code.alignEntry();
    code.slotAddress(R11, slots.records + THUNK.size * index);
    code.jump(body);
  }
  code.place(body);
  writeNullCheck(code, nowhere);
  code.threadPointer(RAX);
  code.compareMemory(RAX, R11, THUNK.owner);
  code.jumpIf(NOT_EQUAL, elsewhere);
  code.load(RAX, RSP); // the caller's return address
  code.load(R10, R11, THUNK.shunned);
  code.subtract(RAX, R10);
  code.compareMemory(RAX, R11, THUNK.shunnedSize);
  code.jumpIf(BELOW, elsewhere);
  code.loadSlot(R10, slots.spill);
  writeSpill(code, 8);
  code.subtractImmediate(RSP, 8);
  code.callSlot(slots.callback);
  code.addImmediate(RSP, 8);
  code.loadSlot(R10, slots.spill);
  code.load(RAX, R10, SPILL.result);
  code.moveToFloat(0, RAX);
  code.ret();
  code.place(elsewhere);
  writeRecord(code);
  writeElsewhere(code, THUNK.next, nowhere);
  code.place(nowhere);
  code.load(RAX, R11, THUNK.failure);
  code.moveToFloat(0, RAX);
  code.ret();
  writeVisit(code, slots, nowhere);
}

/**
 * Stores the call in a visit on the stack and waits. If nobody answers,
 * continues elsewhere and preserves every argument.
 */
function writeVisit(code: X64, slots: ThunkSlots, nowhere: Label): void {
  const frame = VISIT.size, gone = code.label(); // together with the return address this keeps the stack aligned
  code.begin("visit");
  code.addLarge(RSP, -frame);
  code.mov(R10, RSP);
  writeSpill(code, frame + 8);
  code.store(RSP, VISIT.thunk, R11);
  code.threadPointer(RAX);
  code.store(RSP, VISIT.thread, RAX);
  code.xor32(RAX, RAX);
  code.store(RSP, VISIT.state, RAX);
  code.mov(RDI, RSP);
  code.loadSlot(RSI, slots.door);
  code.callMemory(RSI, DOOR.wait);
  code.compareImmediate(RAX, VISIT_STATE.answered);
  code.jumpIf(NOT_EQUAL, gone);
  code.load(RAX, RSP, SPILL.result);
  code.moveToFloat(0, RAX);
  code.addLarge(RSP, frame);
  code.ret();
  code.place(gone);
  code.load(R11, RSP, VISIT.thunk);
  ARGUMENTS.forEach((register, index) => code.load(register, RSP, SPILL.integers + 8 * index));
  for (let xmm = 0; xmm < 8; xmm++) code.loadFloat(xmm, RSP, SPILL.floats + 8 * xmm);
  code.addLarge(RSP, frame);
  writeElsewhere(code, THUNK.unanswered, nowhere);
}

/** A thunk that reads the first argument's table cannot do so if the argument is NULL. */
function writeNullCheck(code: X64, nowhere: Label): void {
  const goOn = code.label();
  code.load(RAX, R11, THUNK.nextInTable);
  code.jumpIfZero(RAX, goOn);
  code.jumpIfZero(RDI, nowhere);
  code.place(goOn);
}

/**
 * Stores the arguments in the block at r10, and the failure as the result.
 * `stack` is the distance to the arguments on the stack.
 */
function writeSpill(code: X64, stack: number): void {
  ARGUMENTS.forEach((register, index) => code.store(R10, SPILL.integers + 8 * index, register));
  for (let xmm = 0; xmm < 8; xmm++) code.storeFloat(R10, SPILL.floats + 8 * xmm, xmm);
  code.lea(RAX, RSP, stack);
  code.store(R10, SPILL.stack, RAX);
  code.load(RAX, R11, THUNK.failure);
  code.store(R10, SPILL.result, RAX);
  code.load32(RAX, R11, THUNK.index);
  code.store32(R10, SPILL.index, RAX);
  const done = code.label();
  code.load(RAX, R11, THUNK.nextInTable);
  code.jumpIfZero(RAX, done);
  code.load(RAX, RDI);
  code.store(R10, SPILL.table, RAX);
  code.place(done);
}

/**
 * Continues at the address in a member of the thunk's record, or in the table,
 * or nowhere. Preserves every argument.
 */
function writeElsewhere(code: X64, member: number, nowhere: Label): void {
  const byTable = code.label();
  code.load(RAX, R11, member);
  code.jumpIfZero(RAX, byTable);
  code.jumpRegister(RAX);
  code.place(byTable);
  code.load(RAX, R11, THUNK.nextInTable);
  code.jumpIfZero(RAX, nowhere);
  code.load(R10, RDI);
  code.add(RAX, R10);
  code.load(RAX, RAX, -8);
  code.jumpIfZero(RAX, nowhere);
  code.jumpRegister(RAX);
}
