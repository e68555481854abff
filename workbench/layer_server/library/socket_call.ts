import type { Label } from "../../../ffi/asm/code.ts";
import type { Variable } from "../../../ffi/emit/routine.ts";
import { CAPTURED, INVOKE } from "../../../ffi/emit/layout.ts";
import { DUSTBIN, HEAD, SLOT, STATE } from "../layout.ts";
import { KIND, ORDER, READ_MOST, WRITE_MOST } from "../messages.ts";
import { writeIsOwn } from "./identity.ts";
import { CALL_CELL, writeArguments } from "./hand_over.ts";
import { writeLost, writeTake } from "./take.ts";
import { writeGoOn } from "./tell.ts";
import { beginPart, type ChannelPlace, FLUSH, KERNEL, ownData, type Parts, PRIVATE, setNumber } from "./parts.ts";
import { writeThrough } from "./socket_transfer.ts";

/** Cells of a conversation. The last four are an {@linkcode ORDER}. */
const CELL = { ...CALL_CELL, end: 3, isDone: 4, frame: 5, answer: 6, order: 7, count: 11 } as const;
const KIND_CELL = CELL.order, ADDRESS = CELL.order + 1, SIZE = CELL.order + 2, EXTRA = CELL.order + 3;
/** The variables: the slot is kept throughout. */
const at = 0, slot = 1, value = 2, other = 3, spare = 4;
/** Bytes of one step of reading: no page of memory is smaller. */
const PAGE = 4096;
/** The result of `send` and `receive` if the connection has ended. */
const ENDED = 0xffff_ffff;

/**
 * u32 converse(frame, number, stackCount, record): hands a call to the server
 * through the slot's connection, and obeys the server's orders on the way. Returns
 * 1 if the results are in the frame, and 0 if the call must go on by itself.
 */
export function writeSocketConverse(parts: Parts, place: ChannelPlace): void {
  const { code, functions } = parts;
  beginPart(parts, "converse", CELL.count);
  [CELL.frame, CELL.number, CELL.stack, CELL.record].forEach((cell, index) => {
    code.argument(value, index);
    code.storeCell(cell, value);
  });
  code.set(value, 0);
  code.storeCell(CELL.isDone, value);
  const own = code.label(), linked = code.label(), opened = code.label(), late = code.label(), wait = code.label();
  code.systemCall(KERNEL.getpid);
  code.wideResult(value);
  ownData(parts, other);
  code.load(other, other, PRIVATE.file);
  code.ifEqual(value, other, own);
  code.finish(0); // a child of the program, whose connections are the parent's
  code.place(own);
  code.passNumber(0, FLUSH.atOnce);
  code.call(functions.flush); // what was noted before comes before
  writeTake(parts, CELL.answer);
  code.load(value, slot, SLOT.file);
  code.ifNotZero(value, opened);
  code.pass(0, slot);
  code.call(functions.openLine);
  code.result(value);
  code.ifNotZero(value, linked);
  code.publish(slot, value);
  writeLost(parts, value, other, spare);
  code.finish(0);
  code.place(opened);
  writeIsOwn(parts, { base: slot, file: SLOT.file, identity: SLOT.identity }, [value, other], late);
  code.place(linked);
  code.loadCell(at, CELL.frame);
  writeArguments(parts);
  writeSendSlot(parts, STATE.called, late);

  code.place(wait);
  loadFile(parts, spare);
  code.cellAddress(value, CELL.order);
  writeThrough(parts, "receive", { file: spare, at: value, size: ORDER.end }, late);
  code.loadCell(value, KIND_CELL);
  const orders = { request: writeRequest, over: writeOver, pass: writePass, read: writeRead, write: writeWrite };
  const labels = Object.keys(orders).map((kind) => {
    const label = code.label();
    setNumber(parts, other, KIND[kind as keyof typeof KIND]);
    code.ifEqual(value, other, label);
    return label;
  });
  code.jump(late); // nothing that the server says
  Object.values(orders).forEach((write, index) => {
    code.place(labels[index]);
    write(parts, place, { wait, late });
  });
  code.place(late);
  writeGiveUp(parts);
}

/** The places where an order goes on: with the next one, or without the server. */
interface Ways {
  readonly wait: Label;
  readonly late: Label;
}

function loadFile({ code }: Parts, to: Variable): void {
  code.load(to, slot, SLOT.file);
  code.decrement(to);
}

function writeSendSlot(parts: Parts, state: number, late: Label): void {
  const { code } = parts;
  setNumber(parts, value, parts.place!.channel + BigInt(HEAD.lost));
  code.load(value, value);
  code.store(slot, SLOT.asleep, value);
  code.set(value, state);
  code.publish(slot, value);
  loadFile(parts, spare);
  code.copy(value, slot);
  writeThrough(parts, "send", { file: spare, at: value, size: SLOT.size }, late);
}

/** Makes a call. The scratch memory must be where the server's is, and the stack arguments must fit. */
function writeRequest(parts: Parts, place: ChannelPlace, { wait, late }: Ways): void {
  const { code, functions } = parts, bare = code.label(), isOther = code.label();
  code.loadCell(value, SIZE);
  code.ifZero(value, bare);
  setNumber(parts, spare, BigInt(place.scratchSize));
  code.ifBelow(spare, value, late);
  code.loadCell(other, ADDRESS);
  setNumber(parts, spare, place.scratch);
  code.ifBelow(other, spare, late);
  code.addVariable(other, value);
  setNumber(parts, spare, place.scratch + BigInt(place.scratchSize));
  code.ifBelow(spare, other, late);
  writeScratch("receive");
  code.place(bare);
  loadFile(parts, spare);
  code.copy(value, slot);
  code.add(value, SLOT.invoke);
  writeThrough(parts, "receive", { file: spare, at: value, size: INVOKE.size }, late);
  code.load(value, slot, SLOT.invoke + INVOKE.target);
  code.ifZero(value, late);
  code.load(value, slot, SLOT.invoke + INVOKE.stackCount);
  code.set(other, INVOKE.stackMax);
  code.ifBelow(other, value, late);
  code.copy(value, slot);
  code.add(value, SLOT.invoke);
  code.pass(0, value);
  code.call(functions.invoke);
  code.loadCell(value, EXTRA);
  code.ifZero(value, isOther);
  code.storeCell(CELL.isDone, value);
  code.loadCell(other, CELL.frame);
  for (const [from, to] of [[INVOKE.result, CAPTURED.result], [INVOKE.floatResult, CAPTURED.floatResult]] as const) {
    code.load(value, slot, SLOT.invoke + from);
    code.store(other, to, value);
  }
  code.place(isOther);
  writeSendSlot(parts, STATE.done, late);
  code.loadCell(value, SIZE);
  code.ifZero(value, wait);
  writeScratch("send");
  code.jump(wait);

  function writeScratch(how: "send" | "receive"): void {
    loadFile(parts, spare);
    code.pass(0, spare);
    code.loadCell(value, ADDRESS);
    code.pass(1, value);
    code.loadCell(value, SIZE);
    code.pass(2, value);
    code.call(functions[how]);
    code.result(value);
    code.ifNotZero(value, late);
  }
}

function writeOver({ code }: Parts): void {
  code.loadCell(other, CELL.frame);
  for (const [cell, to] of [[ADDRESS, CAPTURED.result], [SIZE, CAPTURED.floatResult]] as const) {
    code.loadCell(value, cell);
    code.store(other, to, value);
  }
  code.set(value, STATE.free);
  code.publish(slot, value);
  code.finish(1);
}

function writePass({ code }: Parts): void {
  code.set(value, STATE.free);
  code.publish(slot, value);
  code.finish(0);
}

/** Sends memory by the page. Behind the first page that is not there, other bytes make up the size. */
function writeRead(parts: Parts, _: ChannelPlace, { wait, late }: Ways): void {
  const { code, functions } = parts, more = code.label(), small = code.label(), whole = code.label();
  const answer = code.label();
  code.loadCell(value, SIZE);
  code.set(other, READ_MOST);
  code.ifBelow(other, value, late);
  code.loadCell(at, ADDRESS);
  code.addVariable(value, at);
  code.storeCell(CELL.end, value);
  const next = code.here();
  code.loadCell(other, CELL.end);
  code.ifNotEqual(at, other, more);
  code.jump(answer);
  code.place(more);
  code.copy(spare, other);
  code.subtractVariable(spare, at);
  code.set(value, PAGE);
  code.ifBelow(spare, value, small);
  code.copy(spare, value);
  code.place(small);
  loadFile(parts, value);
  code.pass(0, value);
  code.pass(1, at);
  code.pass(2, spare);
  code.call(functions.send);
  code.result(value);
  code.ifZero(value, whole);
  code.set(other, ENDED);
  code.ifEqual(value, other, late);
  code.loadCell(other, CELL.end); // left: end - at - step + unsent
  code.subtractVariable(other, at);
  code.subtractVariable(other, spare);
  code.addVariable(other, value);
  loadFile(parts, value);
  code.pass(0, value);
  code.labelAddress(value, parts.nameTable);
  code.pass(1, value);
  code.pass(2, other);
  code.call(functions.send);
  code.result(value);
  code.ifNotZero(value, late);
  code.jump(answer);
  code.place(whole);
  code.addVariable(at, spare);
  code.jump(next);
  code.place(answer);
  code.loadCell(value, ADDRESS);
  code.subtractVariable(at, value);
  writeAnswer(parts, at, late);
  code.jump(wait);
}

/** Changes memory. Bytes for which there is none are received all the same, and thrown away. */
function writeWrite(parts: Parts, place: ChannelPlace, { wait, late }: Ways): void {
  const { code, functions } = parts, written = code.label();
  code.loadCell(value, SIZE);
  code.set(other, WRITE_MOST);
  code.ifBelow(other, value, late);
  code.loadCell(at, ADDRESS);
  loadFile(parts, spare);
  code.pass(0, spare);
  code.pass(1, at);
  code.pass(2, value);
  code.call(functions.receive);
  code.result(at);
  code.ifZero(at, written);
  code.set(other, ENDED);
  code.ifEqual(at, other, late);
  code.pass(0, spare);
  setNumber(parts, value, place.channel + BigInt(DUSTBIN));
  code.pass(1, value);
  code.pass(2, at);
  code.call(functions.receive);
  code.result(value);
  code.ifNotZero(value, late);
  code.place(written);
  code.loadCell(value, SIZE);
  code.subtractVariable(value, at);
  writeAnswer(parts, value, late);
  code.jump(wait);
}

/** Answers an order with a number. */
function writeAnswer(parts: Parts, number: Variable, late: Label): void {
  const { code } = parts;
  code.storeCell(CELL.answer, number);
  loadFile(parts, spare);
  code.cellAddress(value, CELL.answer);
  writeThrough(parts, "send", { file: spare, at: value, size: 8 }, late);
}

/** Closes the connection and goes on without layers. What the function below has done is not done again. */
function writeGiveUp(parts: Parts): void {
  const { code, functions } = parts;
  code.pass(0, slot);
  code.call(functions.closeLine);
  code.set(value, STATE.free);
  code.publish(slot, value);
  writeGoOn(parts, CELL.isDone, [at, value, other]);
}
