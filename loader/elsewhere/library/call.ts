import type { Label } from "../../../ffi/asm/code.ts";
import type { Variable } from "../../../ffi/emit/routine.ts";
import { CAPTURED, INVOKE } from "../../../ffi/emit/layout.ts";
import { HANDED, HEAD, RECORD, SLOT, SLOTS, STATE } from "../layout.ts";
import { GONE, writeRing, writeTell } from "./connect.ts";
import { writeBlock, writeNote } from "./note.ts";
import { writeIsSubscribed } from "./proc_addr.ts";
import { writeThread } from "./thread.ts";
import { writeCopies } from "./copies.ts";
import { writeSocketConverse } from "./socket_call.ts";
import { addScaled, beginPart, KERNEL, LINK, ownData, type Parts, PRIVATE, setNumber } from "./parts.ts";

/** How often a thread looks for an answer before it sleeps: some ten microseconds, in which most answers come. */
const LOOKS = 20_000;
const FUTEX_WAIT = 0, TIMED_OUT = 0xffff_ff92, LOCK_SHARED_AT_ONCE = 5;

/** Writes what happens to a call that is handed over. */
export function writeCall(parts: Parts): void {
  if (parts.place?.socket) writeSocketConverse(parts, parts.place);
  else if (parts.place) writeConverse(parts);
  if (parts.place) {
    writeThread(parts);
    writeCopies(parts, parts.place);
    writeNote(parts, parts.place);
  }
  writeCapture(parts);
}

/**
 * u32 capture(frame, number, stackCount), as `CaptureSpec` says. Creating and
 * destroying an instance come here always, since the program is connected
 * before the first and disconnected after the last one.
 */
function writeCapture(parts: Parts): void {
  const { code, functions } = parts, frame = 0, number = 1, stack = 2, record = 3, value = 4;
  beginPart(parts, "capture", 2);
  const scope = code.label(), other = code.label(), isKnown = code.label(), ready = code.label(), pass = code.label();
  code.argument(frame, 0);
  code.argument(number, 1);
  code.argument(stack, 2);
  code.storeCell(0, number);
  code.set(record, 0);
  code.storeCell(1, record);
  code.ifNotZero(number, other);
  code.call(functions.connect);
  code.jump(scope);
  code.place(other);
  code.load(record, frame, CAPTURED.integers);
  code.pass(0, record);
  code.call(functions.findObject);
  code.wideResult(record);
  code.ifNotZero(record, isKnown);
  code.set(value, 0); // a handle of nobody, such as NULL, which may be destroyed
  code.store(frame, CAPTURED.result, value);
  code.finish(1);
  code.place(isKnown);
  code.storeCell(1, record);
  code.copy(value, number);
  code.decrement(value);
  code.ifZero(value, scope);
  code.copy(value, record);
  addScaled(code, value, number, 3);
  code.load(value, value, RECORD.next);
  code.store(frame, CAPTURED.next, value);
  code.jump(ready);
  code.place(scope);
  code.labelAddress(value, functions.own);
  addScaled(code, value, number, 4);
  code.store(frame, CAPTURED.next, value);
  code.place(ready);
  code.loadCell(number, 0);
  if (parts.place) {
    const over = code.label();
    writeIsSubscribed(parts, number, value, pass);
    code.set(record, HANDED.later);
    code.ifEqual(value, record, pass);
    code.set(record, HANDED.noted);
    code.ifNotEqual(value, record, over);
    [frame, number, stack].forEach((each, index) => code.pass(index, each as Variable));
    code.call(functions.note);
    code.jump(pass);
    code.place(over);
    code.loadCell(record, 1);
    setNumber(parts, value, parts.place.channel);
    code.load(value, value, HEAD.open);
    code.ifZero(value, pass);
    [frame, number, stack, record].forEach((each, index) => code.pass(index, each as Variable));
    code.call(functions.converse);
    code.result(value);
    code.ifZero(value, pass);
    writeAfter(parts, number, value);
    code.finish(1);
  }
  code.place(pass);
  writePass(parts);
}

/** The way on of a call that nobody answered. */
function writePass(parts: Parts): void {
  const { code } = parts, frame = 0, number = 1, value = 4, plain = code.label(), scope = code.label();
  code.set(value, 2);
  code.ifBelow(number, value, scope);
  code.place(plain);
  code.finish(0);
  code.place(scope);
  for (let index = 0; index < 3; index++) {
    code.load(value, frame, CAPTURED.integers + 8 * index);
    code.pass(index, value);
  }
  code.callAt(frame, CAPTURED.next);
  code.result(value);
  code.store(frame, CAPTURED.result, value);
  writeAfter(parts, number, value);
  code.finish(1);
}

function writeAfter({ code, functions }: Parts, number: Variable, value: Variable): void {
  const other = code.label(), scope = code.label();
  code.set(value, 2);
  code.ifBelow(number, value, scope);
  code.jump(other);
  code.place(scope);
  code.call(functions.disconnect);
  code.place(other);
}

/** Cells of a conversation. */
const CELL = { number: 0, stack: 1, record: 2, waits: 3, isDone: 4, frame: 5, count: 6 } as const;

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
  code.set(value, 0);
  code.storeCell(CELL.waits, value);
  code.storeCell(CELL.isDone, value);
  writeTake(parts);
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

/** Takes the first free slot. Without one, the call goes on by itself. */
export function writeTake(parts: Parts): void {
  const { code } = parts, slot = 1, value = 2, other = 3, left = 4;
  const found = code.label(), taken = code.label();
  setNumber(parts, slot, parts.place!.channel + BigInt(HEAD.size));
  code.set(left, SLOTS);
  const next = code.here();
  code.set(value, STATE.free);
  code.set(other, STATE.taken);
  code.exchange(slot, value, other, taken);
  code.jump(found);
  code.place(taken);
  code.add(slot, SLOT.size);
  code.decrement(left);
  code.ifNotZero(left, next);
  code.finish(0);
  code.place(found);
}

/** Writes the call into the slot: the frame is variable 0, the number is cell 0, and so on. */
export function writeArguments(parts: Parts): void {
  const { code } = parts, frame = 0, slot = 1, value = 2;
  for (const [cell, at] of [[CELL.number, SLOT.command], [CELL.record, SLOT.record]] as const) {
    code.loadCell(value, cell);
    code.store(slot, at, value);
  }
  code.set(value, 0);
  code.store(slot, SLOT.isNext, value);
  code.store(slot, SLOT.asleep, value);
  code.load(value, frame, CAPTURED.next);
  code.store(slot, SLOT.next, value);
  for (const [call, at] of [[KERNEL.getpid, SLOT.process], [KERNEL.gettid, SLOT.thread]] as const) {
    code.systemCall(call);
    code.wideResult(value);
    code.store(slot, at, value);
  }
  writeBlock(parts, SLOT.invoke, CELL.stack);
}

/** Waits for another state than the one in `value`. Goes to `late` if the server is gone or has had its time. */
function writeWait(parts: Parts, wait: Label, late: Label): void {
  const { code } = parts, data = 0, slot = 1, value = 2, other = 3, left = 4;
  code.set(left, LOOKS);
  const look = code.here();
  code.acquire(other, slot);
  code.ifNotEqual(other, value, wait);
  code.decrement(left);
  code.ifNotZero(left, look);
  code.set(other, 1);
  code.store(slot, SLOT.asleep, other); // the kernel looks at the state afterwards
  ownData(parts, data);
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
  code.load(value, data, PRIVATE.file);
  code.decrement(value);
  code.pass(0, value);
  code.passNumber(1, LOCK_SHARED_AT_ONCE); // the server has the lock as long as it lives
  code.systemCall(KERNEL.flock);
  code.result(value);
  code.ifZero(value, late);
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
  const { code } = parts, data = 0, slot = 1, value = 2, other = 3, isDone = code.label();
  const retry = code.here();
  code.acquire(value, slot);
  for (const state of [STATE.request, STATE.over, STATE.pass]) {
    code.set(other, state);
    code.ifEqual(value, other, wait);
  }
  code.set(other, STATE.abandoned);
  code.exchange(slot, value, other, retry);
  ownData(parts, data);
  code.set(value, LINK.given_up);
  code.publish(data, value);
  writeTell(parts, GONE, [data, value, other]);
  code.loadCell(value, CELL.isDone);
  code.ifNotZero(value, isDone);
  code.finish(0);
  code.place(isDone);
  code.finish(1);
}
