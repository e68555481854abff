import type { Routine, Variable } from "../../ffi/emit/routine.ts";
import { LIST, type NativeList } from "./layout.ts";
import { VK_INCOMPLETE, VK_SUCCESS } from "../gen/native_gen.ts";

/**
 * Copies as much of the list in variable 3 as the caller has room for, and
 * returns. 4 is the number of its elements, 1 points to the caller's room, and
 * 2 to its memory or is NULL. Needs one cell.
 */
export function writeCopy(routine: Routine, { stride, from }: Pick<NativeList, "stride" | "from">): void {
  const left: Variable = 0, count: Variable = 1, out: Variable = 2, list: Variable = 3, value: Variable = 4;
  const countOnly = routine.label(),
    result = 0,
    ready = routine.label(),
    enough = routine.label(),
    done = routine.label();
  routine.ifZero(out, countOnly);
  routine.load32(left, count); // the caller's room
  routine.storeCell(result, left);
  routine.ifBelow(left, value, ready);
  routine.copy(left, value);
  routine.place(ready);
  routine.store32(count, 0, left);
  routine.loadCell(count, result);
  routine.ifBelow(count, value, enough);
  routine.set(value, VK_SUCCESS);
  routine.storeCell(result, value);
  const next = routine.here();
  routine.ifZero(left, done);
  for (let at = from; at < stride; at += 8) {
    routine.load(value, list, LIST.elements + at);
    routine.store(out, at, value);
  }
  routine.add(list, stride);
  routine.add(out, stride);
  routine.decrement(left);
  routine.jump(next);
  routine.place(enough);
  routine.set(value, VK_INCOMPLETE);
  routine.storeCell(result, value);
  routine.jump(next);
  routine.place(done);
  routine.loadCell(value, result);
  routine.finish({ variable: value });
  routine.place(countOnly);
  routine.store32(count, 0, value);
  routine.finish(VK_SUCCESS);
}
