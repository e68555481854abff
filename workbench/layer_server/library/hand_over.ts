import type { Label } from "../../../ffi/asm/code.ts";
import { CAPTURED, INVOKE } from "../../../ffi/emit/layout.ts";
import type { Variable } from "../../../ffi/emit/routine.ts";
import { HANDED, HEAD, SLOT } from "../layout.ts";
import { KERNEL, LINK, ownData, type Parts, PRIVATE, setNumber } from "./parts.ts";

/**
 * Hands a captured call over, or notes it, and ends the function if the results
 * are in the frame, after `after`. Goes to a label if the call must go on by
 * itself. Variables 0 to 2 are the arguments of `capture`; cell 1 is the record.
 */
export function writeHandOver(parts: Parts, pass: Label, after: () => void): void {
  const { code, functions, place } = parts, frame = 0, number = 1, stack = 2, record = 3, value = 4;
  if (!place) return;
  const over = code.label(), untimed = code.label(), early = code.label();
  writeIsSubscribed(parts, number, value, pass);
  code.set(record, HANDED.later);
  code.ifEqual(value, record, pass);
  code.set(record, HANDED.timed);
  code.ifNotEqual(value, record, untimed);
  [frame, number, stack].forEach((each, index) => code.pass(index, each as Variable));
  code.call(functions.timed);
  code.result(value);
  code.ifZero(value, over);
  code.finish(1);
  code.place(untimed);
  code.set(record, HANDED.late);
  code.ifBelow(value, record, early);
  [frame, number, stack].forEach((each, index) => code.pass(index, each as Variable));
  code.subtractVariable(value, record);
  code.pass(3, value);
  code.loadCell(record, 1);
  code.pass(4, record);
  code.call(functions.late);
  code.result(value);
  code.ifZero(value, over);
  code.finish(1);
  code.place(early);
  code.set(record, HANDED.noted);
  code.ifNotEqual(value, record, over);
  [frame, number, stack].forEach((each, index) => code.pass(index, each as Variable));
  code.passNumber(3, 0);
  code.passNumber(4, 0);
  code.call(functions.note);
  code.jump(pass);
  code.place(over);
  code.loadCell(record, 1);
  setNumber(parts, value, place.channel);
  code.load(value, value, HEAD.open);
  code.ifZero(value, pass);
  [frame, number, stack, record].forEach((each, index) => code.pass(index, each as Variable));
  code.call(functions.converse);
  code.result(value);
  code.ifZero(value, pass);
  after();
  code.finish(1);
}

/** Goes to a label unless calls of a command are or may be handed over: `value` is their treatment. */
export function writeIsSubscribed(parts: Parts, number: Variable, value: Variable, not: Label): void {
  const { code, place } = parts, connected = code.label();
  ownData(parts, value);
  code.load(value, value, PRIVATE.link);
  for (let other = LINK.none; other < LINK.connected; other++) {
    // compared by counting down, since there is no variable to spare
    code.ifZero(value, not);
    code.decrement(value);
  }
  code.ifZero(value, connected);
  code.jump(not);
  code.place(connected);
  setNumber(parts, value, place!.channel + BigInt(HEAD.subscribed));
  code.addVariable(value, number);
  code.load8(value, value);
  code.ifZero(value, not);
}

/** The first cells of a function that hands a call over: the command's number, how many arguments are on the stack, and the record. */
export const CALL_CELL = { number: 0, stack: 1, record: 2 } as const;

/** Writes the call into the slot: the frame is variable 0, the rest is in the {@linkcode CALL_CELL}s. */
export function writeArguments(parts: Parts): void {
  const { code } = parts, frame = 0, slot = 1, value = 2;
  for (const [cell, at] of [[CALL_CELL.number, SLOT.command], [CALL_CELL.record, SLOT.record]] as const) {
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
  writeBlock(parts, SLOT.invoke, CALL_CELL.stack);
}

/**
 * Copies the arguments of a frame (variable 0) to an `INVOKE` block at an offset
 * of variable 1. All variables but 1 are overwritten.
 */
export function writeBlock({ code }: Parts, at: number, stackCell: number): void {
  const frame = 0, slot = 1, value = 2, from = 3, to = 4;
  for (let index = 0; index < 8; index++) {
    code.load(value, frame, CAPTURED.integers + 8 * index);
    code.store(slot, at + INVOKE.integers + 8 * index, value);
    code.load(value, frame, CAPTURED.floats + 8 * index);
    code.store(slot, at + INVOKE.floats + 8 * index, value);
  }
  code.load(from, frame, CAPTURED.stack);
  code.copy(to, slot);
  code.loadCell(value, stackCell);
  code.store(slot, at + INVOKE.stackCount, value);
  const next = code.here(), done = code.label();
  code.ifZero(value, done);
  code.load(frame, from);
  code.store(to, at + INVOKE.stack, frame);
  code.add(from, 8);
  code.add(to, 8);
  code.decrement(value);
  code.jump(next);
  code.place(done);
}
