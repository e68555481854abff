import type { Label } from "../../../ffi/asm/code.ts";
import type { Variable } from "../../../ffi/emit/routine.ts";
import { HANDED, HEAD } from "../layout.ts";
import { LINK, ownData, type Parts, PRIVATE, setNumber } from "./parts.ts";

/**
 * Hands a captured call over, or notes it, and ends the function if the results
 * are in the frame, after `after`. Goes to a label if the call must go on by
 * itself. Variables 0 to 2 are the arguments of `capture`; cell 1 is the record.
 */
export function writeHandOver(parts: Parts, pass: Label, after: () => void): void {
  const { code, functions, place } = parts, frame = 0, number = 1, stack = 2, record = 3, value = 4;
  if (!place) return;
  const over = code.label(), untimed = code.label();
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
  code.set(record, HANDED.noted);
  code.ifNotEqual(value, record, over);
  [frame, number, stack].forEach((each, index) => code.pass(index, each as Variable));
  code.passNumber(3, 0);
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
