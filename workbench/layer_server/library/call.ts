import type { Label } from "../../../ffi/asm/code.ts";
import { CAPTURED, INVOKE } from "../../../ffi/emit/layout.ts";
import { HEAD, SLOT, STATE } from "../layout.ts";
import { writeRing } from "./connect.ts";
import { writeGoOn } from "./tell.ts";
import { CALL_CELL, writeArguments } from "./hand_over.ts";
import { writeTake } from "./take.ts";
import { writeNote } from "./note.ts";
import { writeIsOwn } from "./identity.ts";
import { writeLate, writeTimed } from "./timed.ts";
import { writeThread } from "./thread.ts";
import { writeFlush } from "./flush.ts";
import { writeLeave } from "./leave.ts";
import { writeCopies } from "./copies.ts";
import { writeGather } from "./gather.ts";
import { writeSocketConverse } from "./socket_call.ts";
import { beginPart, KERNEL, LOOKS, ownData, type Parts, PRIVATE, setNumber } from "./parts.ts";
import type { Routine } from "../../../ffi/emit/routine.ts";

/**
 * Looks for another state of a slot, and goes to `wait` with it.
 * Looks in vain make the next ones shorter, since the server needs the
 * processor then; others make them longer. Variable 0 is the library's own data,
 * variable 1 the slot, and variable 2 the state.
 */
export function writeLook(code: Routine, wait: Label): void {
  const data = 0, slot = 1, value = 2, other = 3, left = 4, changed = code.label(), sleep = code.label();
  code.load(left, data, PRIVATE.looks);
  const look = code.here();
  code.acquire(other, slot);
  code.ifNotEqual(other, value, changed);
  code.decrement(left);
  code.ifNotZero(left, look);
  code.load(other, data, PRIVATE.looks);
  code.bits(other, other, 1, 32);
  code.set(left, LOOKS.least);
  code.ifBelow(other, left, sleep);
  code.store(data, PRIVATE.looks, other);
  code.jump(sleep);
  code.place(changed);
  code.load(other, data, PRIVATE.looks);
  code.add(other, LOOKS.step);
  code.set(left, LOOKS.most);
  code.ifBelow(left, other, wait);
  code.store(data, PRIVATE.looks, other);
  code.jump(wait);
  code.place(sleep);
}

const FUTEX_WAIT = 0, TIMED_OUT = 0xffff_ff92, LOCK_SHARED_AT_ONCE = 5;

/** Writes the functions that hand calls over, or note them. */
export function writeConversation(parts: Parts): void {
  const { place } = parts;
  if (!place) return;
  if (place.socket) writeSocketConverse(parts, place);
  else writeConverse(parts);
  writeThread(parts);
  writeCopies(parts, place);
  writeGather(parts, place);
  writeNote(parts, place);
  writeTimed(parts, place);
  writeLate(parts, place);
  if (!place.socket) return; // notes in shared memory are there without a leave
  writeFlush(parts, place);
  writeLeave(parts);
}

/** Cells of a conversation. */
const CELL = { ...CALL_CELL, waits: 3, isDone: 4, frame: 5, count: 6 } as const;

/**
 * u32 converse(frame, number, stackCount, record): hands a call to the server
 * and makes the calls that the server requests. Returns 1 if the results are in
 * the frame, and 0 if the call must go on by itself.
 */
function writeConverse(parts: Parts): void {
  const { code } = parts, frame = 0, slot = 1, value = 2, other = 3, spare = 4;
  beginPart(parts, "converse", CELL.count);
  code.argument(frame, 0);
  code.storeCell(CELL.frame, frame);
  [CELL.number, CELL.stack, CELL.record].forEach((cell, index) => {
    code.argument(value, index + 1);
    code.storeCell(cell, value);
  });
  writeTake(parts, CELL.waits);
  code.set(value, 0);
  code.storeCell(CELL.waits, value);
  code.storeCell(CELL.isDone, value);
  writeArguments(parts);
  code.set(value, STATE.called);
  code.publish(slot, value);
  writeRing(parts, value, other, spare);

  const wait = code.here(), request = code.label(), over = code.label(), pass = code.label(), late = code.label();
  code.acquire(value, slot);
  for (const [state, label] of [[STATE.request, request], [STATE.over, over], [STATE.pass, pass]] as const) {
    code.set(other, state);
    code.ifEqual(value, other, label);
  }
  writeWait(parts, wait, late);

  code.place(request);
  writeRequest(parts, wait);
  code.place(over);
  code.loadCell(frame, CELL.frame);
  for (const [from, to] of RESULTS) {
    code.load(value, slot, from);
    code.store(frame, to, value);
  }
  code.set(value, STATE.free);
  code.publish(slot, value);
  code.finish(1);
  code.place(pass);
  code.set(value, STATE.free);
  code.publish(slot, value);
  code.finish(0);
  code.place(late);
  writeGiveUp(parts, wait);
}

const RESULTS = [[SLOT.result, CAPTURED.result], [SLOT.floatResult, CAPTURED.floatResult]] as const;

/** Waits for another state than the one in `value`. Goes to `late` if the server is gone or has had its time. */
function writeWait(parts: Parts, wait: Label, late: Label): void {
  const { code } = parts, data = 0, slot = 1, value = 2, other = 3, spare = 4, unknown = code.label();
  ownData(parts, data);
  writeLook(code, wait);
  code.set(other, 1);
  code.store(slot, SLOT.asleep, other); // the kernel looks at the state afterwards
  code.copy(other, data);
  code.add(other, PRIVATE.slice);
  code.pass(0, slot);
  code.passNumber(1, FUTEX_WAIT);
  code.pass(2, value);
  code.pass(3, other);
  code.passNumber(4, 0);
  code.passNumber(5, 0);
  code.systemCall(KERNEL.futex);
  code.result(value);
  code.set(other, 0);
  code.store(slot, SLOT.asleep, other);
  code.set(other, TIMED_OUT);
  code.ifNotEqual(value, other, wait);
  writeIsOwn(parts, { base: data, file: PRIVATE.file, identity: PRIVATE.identity }, [spare, other], unknown);
  code.load(value, data, PRIVATE.file);
  code.decrement(value);
  code.pass(0, value);
  code.passNumber(1, LOCK_SHARED_AT_ONCE); // the server has the lock as long as it lives
  code.systemCall(KERNEL.flock);
  code.result(value);
  code.ifZero(value, late);
  code.place(unknown);
  setNumber(parts, other, parts.place!.channel);
  code.load(other, other, HEAD.patience);
  code.ifZero(other, wait);
  code.loadCell(value, CELL.waits);
  code.add(value, 1);
  code.storeCell(CELL.waits, value);
  code.ifBelow(value, other, wait);
  code.jump(late);
}

/** Makes the call in the slot's block. */
function writeRequest(parts: Parts, wait: Label): void {
  const { code, functions } = parts, frame = 0, slot = 1, value = 2, other = 3, spare = 4, isOther = code.label();
  code.copy(value, slot);
  code.add(value, SLOT.invoke);
  code.pass(0, value);
  code.call(functions.invoke);
  code.load(value, slot, SLOT.isNext);
  code.ifZero(value, isOther);
  code.storeCell(CELL.isDone, value);
  code.loadCell(frame, CELL.frame);
  code.load(value, slot, SLOT.invoke + INVOKE.result);
  code.store(frame, CAPTURED.result, value);
  code.load(value, slot, SLOT.invoke + INVOKE.floatResult);
  code.store(frame, CAPTURED.floatResult, value);
  code.place(isOther);
  code.set(value, 0);
  code.storeCell(CELL.waits, value);
  code.set(value, STATE.done);
  code.publish(slot, value);
  writeRing(parts, value, other, spare);
  code.jump(wait);
}

/**
 * Takes the slot back, unless the answer has come at the last moment, and also
 * if the state is none that anybody sets. What the function below has done is
 * not done again.
 */
function writeGiveUp(parts: Parts, wait: Label): void {
  const { code } = parts, data = 0, slot = 1, value = 2, other = 3;
  const retry = code.here();
  code.acquire(value, slot);
  for (const state of [STATE.request, STATE.over, STATE.pass]) {
    code.set(other, state);
    code.ifEqual(value, other, wait);
  }
  code.set(other, STATE.abandoned);
  code.exchange(slot, value, other, retry);
  writeGoOn(parts, CELL.isDone, [data, value, other]);
}
