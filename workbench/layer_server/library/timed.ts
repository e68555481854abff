import { CAPTURED, INVOKE } from "../../../ffi/emit/layout.ts";
import { HEAD } from "../layout.ts";
import { writeBlock } from "./hand_over.ts";
import { writeClock } from "./note.ts";
import { beginPart, type ChannelPlace, type Parts, setNumber } from "./parts.ts";

/** The most 8-byte arguments on the stack: no command has more, and the frame stays small. */
export const TIMED_STACK_MOST = 24;
/** Cells: the arguments of the function, a `timespec`, and an `INVOKE` block. */
const CELL = { frame: 0, number: 1, stack: 2, begin: 4, block: 6, count: 6 + INVOKE.stack / 8 + TIMED_STACK_MOST };

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
  writeClock(parts, CELL.begin, other, value);
  code.pass(0, block);
  code.call(functions.invoke);
  for (const [from, to] of [[INVOKE.result, CAPTURED.result], [INVOKE.floatResult, CAPTURED.floatResult]] as const) {
    code.load(value, block, from);
    code.store(frame, to, value);
  }
  code.pass(0, frame);
  code.loadCell(value, CELL.number);
  code.pass(1, value);
  code.loadCell(value, CELL.stack);
  code.pass(2, value);
  code.passCell(3, CELL.begin);
  code.call(functions.note);
  code.finish(1);
}
