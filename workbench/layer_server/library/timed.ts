import { CAPTURED, INVOKE } from "../../../ffi/emit/layout.ts";
import type { Variable } from "../../../ffi/emit/routine.ts";
import { CAPTURE_STATE, CAPTURED_FIRST, HEAD, LATE, NOTE, NOTED, UNFIT } from "../layout.ts";
import { writeBlock } from "./hand_over.ts";
import { writeClock } from "./note.ts";
import { beginPart, type ChannelPlace, type Parts, setNumber } from "./parts.ts";

/** The most 8-byte arguments on the stack: no command has more, and the frame stays small. */
export const TIMED_STACK_MOST = 24;
/** Cells: the arguments of the function, a `timespec`, and an `INVOKE` block. */
const CELL = {
  frame: 0,
  number: 1,
  stack: 2,
  captures: 3,
  begin: 4,
  record: 6,
  block: 8,
  count: 8 + INVOKE.stack / 8 + TIMED_STACK_MOST,
};

/**
 * u32 timed(frame, number, stackCount): makes a call and notes it, with the time
 * that the call took, without waiting for anybody. Returns 0 and does nothing if
 * there is no room for a note.
 */
export function writeTimed(parts: Parts, place: ChannelPlace): void {
  const { code, functions } = parts, frame = 0, block = 1, value = 2, other = 3, room = code.label();
  beginPart(parts, "timed", CELL.count);
  [CELL.frame, CELL.number, CELL.stack].forEach((cell, index) => {
    code.argument(value, index);
    code.storeCell(cell, value);
  });
  setNumber(parts, other, place.channel + BigInt(HEAD.cursor));
  code.acquire(value, other);
  code.acquire(value, value);
  code.ifZero(value, room);
  code.finish(0);
  code.place(room);
  writeInvoke(parts, [frame, block, value, other], () => writeClock(parts, CELL.begin, other, value));
  code.pass(0, frame);
  code.loadCell(value, CELL.number);
  code.pass(1, value);
  code.loadCell(value, CELL.stack);
  code.pass(2, value);
  code.passCell(3, CELL.begin);
  code.passNumber(4, 0);
  code.call(functions.note);
  code.finish(1);
}

/**
 * u32 late(frame, number, stackCount, captures, record): makes a call of the one thread that may, after it was noted
 * with what its arguments point to, and adds the result. The server hands it to the layers when there is time. If
 * `captures` is not 0, `gather` takes before the call what layers capture, or the server does. Returns 0 and does nothing if the call must be handed over before.
 */
export function writeLate(parts: Parts, place: ChannelPlace): void {
  const { code, functions } = parts, frame = 0, block = 1, value = 2, other = 3;
  const own = code.label(), noted = code.label(), free = code.label(), alone = code.label(), making = code.label();
  beginPart(parts, "late", CELL.count);
  [CELL.frame, CELL.number, CELL.stack, CELL.captures, CELL.record].forEach((cell, index) => {
    code.argument(value, index);
    code.storeCell(cell, value);
  });
  code.call(functions.thread);
  code.result(value);
  setNumber(parts, other, place.channel);
  code.load(other, other, HEAD.lateThread);
  code.ifEqual(value, other, own);
  code.finish(0);
  code.place(own);
  [CELL.frame, CELL.number, CELL.stack].forEach((cell, index) => {
    code.loadCell(value, cell);
    code.pass(index, value);
  });
  code.passNumber(3, LATE);
  code.passCell(4, CELL.begin);
  code.call(functions.note);
  code.result(value);
  code.ifNotZero(value, noted);
  code.finish(0);
  code.place(noted);
  code.loadCell(other, CELL.begin);
  code.set(value, CAPTURE_STATE.none);
  code.store(other, NOTE.gathered, value);
  code.loadCell(value, CELL.captures);
  code.ifZero(value, free);
  code.pass(0, other);
  code.call(functions.gather);
  code.result(value);
  code.ifNotZero(value, free);
  writeBegun(parts, CAPTURE_STATE.pending);
  code.loadCell(value, CELL.frame);
  code.pass(0, value);
  code.loadCell(value, CELL.number);
  code.add(value, CAPTURED_FIRST);
  code.pass(1, value);
  for (const [index, cell] of [CELL.stack, CELL.record].entries()) {
    code.loadCell(value, cell);
    code.pass(index + 2, value);
  }
  code.call(functions.converse);
  code.result(value);
  code.loadCell(other, CELL.begin);
  code.ifZero(value, alone);
  code.set(value, UNFIT); // the server has answered the call after all
  code.store(other, NOTE.command, value);
  code.set(value, NOTED.written);
  code.publish(other, value);
  code.finish(1);
  code.place(alone);
  code.set(value, CAPTURE_STATE.taken);
  code.store(other, NOTE.gathered, value);
  code.jump(making);
  code.place(free);
  writeBegun(parts);
  code.place(making);
  writeInvoke(parts, [frame, block, value, other], () => {});
  code.loadCell(other, CELL.begin);
  code.load(value, block, INVOKE.result);
  code.store(other, NOTE.result, value);
  code.pass(0, other);
  code.call(functions.copies); // of what the call gave out
  code.loadCell(other, CELL.begin);
  code.set(value, NOTED.written);
  code.publish(other, value);
  code.finish(1);
}

/** Publishes the note of a call that is being made, with a state of its capture. */
function writeBegun({ code }: Parts, captured?: number): void {
  const value = 2, note = 3;
  code.loadCell(note, CELL.begin);
  if (captured !== undefined) {
    code.set(value, captured);
    code.store(note, NOTE.gathered, value);
  }
  code.set(value, NOTED.begun);
  code.publish(note, value);
}

/**
 * Makes the call of a frame, after what `ready` writes. Afterwards the second variable is the block with the results,
 * and the frame has them.
 */
function writeInvoke(
  parts: Parts,
  [frame, block, value, other]: readonly [Variable, Variable, Variable, Variable],
  ready: () => void,
): void {
  const { code, functions } = parts;
  code.loadCell(frame, CELL.frame);
  code.cellAddress(block, CELL.block);
  writeBlock(parts, 0, CELL.stack);
  code.loadCell(value, CELL.stack);
  code.bits(other, value, 0, 1);
  code.addVariable(value, other); // even, to keep the stack aligned
  code.store(block, INVOKE.stackCount, value);
  code.loadCell(frame, CELL.frame);
  code.load(value, frame, CAPTURED.next);
  code.store(block, INVOKE.target, value);
  ready();
  code.pass(0, block);
  code.call(functions.invoke);
  for (const [from, to] of [[INVOKE.result, CAPTURED.result], [INVOKE.floatResult, CAPTURED.floatResult]] as const) {
    code.load(value, block, from);
    code.store(frame, to, value);
  }
}
