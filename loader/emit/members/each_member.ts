import type { Label } from "../../../ffi/asm/code.ts";
import type { Routine, Variable } from "../../../ffi/emit/routine.ts";
import { INSTANCE } from "../layout.ts";

/** Writes code for each member's table of the instance that `table` holds at first. */
export function eachMember(
  routine: Routine,
  { table, left, size }: { readonly table: Variable; readonly left: Variable; readonly size: number },
  write: (next: Label) => void,
): void {
  routine.load(left, table, INSTANCE.count);
  routine.add(table, INSTANCE.tables);
  const again = routine.here(), next = routine.label(), done = routine.label();
  routine.ifZero(left, done);
  write(next);
  routine.place(next);
  routine.add(table, size);
  routine.decrement(left);
  routine.jump(again);
  routine.place(done);
}
