import { CAPTURED } from "../../../ffi/emit/layout.ts";
import type { Variable } from "../../../ffi/emit/routine.ts";
import { RECORD } from "../layout.ts";
import { writeHandOver } from "./hand_over.ts";
import { addScaled, beginPart, type Parts } from "./parts.ts";

/**
 * u32 capture(frame, number, stackCount), as `CaptureSpec` says. Creating and
 * destroying an instance come here always, since the program is connected
 * before the first and disconnected after the last one.
 */
export function writeCapture(parts: Parts): void {
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
  writeHandOver(parts, pass, () => writeAfter(parts, number, value));
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
