import type { FarewellSpec } from "./emitter.ts";
import { writeFree } from "./give_back.ts";
import type { Routine, Variable } from "./routine.ts";

/**
 * Writes `void farewell(handle, allocator)`: calls the command of the table, gives back what the table keeps in the
 * application's memory, and then notes in the table that the object is gone.
 */
export function writeFarewell(routine: Routine, { name, offset, noteOffset, keptOffset }: FarewellSpec): void {
  const handle: Variable = 0, allocator: Variable = 1, table: Variable = 2, kept: Variable = 3;
  const given = routine.label(), none = routine.label();
  routine.begin(name);
  routine.argument(handle, 0);
  routine.argument(allocator, 1);
  routine.load(table, handle);
  routine.load(kept, table, keptOffset);
  routine.pass(0, handle);
  routine.pass(1, allocator);
  routine.callAt(table, offset);
  routine.ifZero(kept, none);
  routine.ifNotZero(allocator, given);
  routine.copy(allocator, kept); // it begins with the callbacks that it came from
  routine.place(given);
  writeFree(routine, allocator, kept, handle);
  routine.place(none);
  routine.set(kept, 1);
  routine.add(table, noteOffset);
  routine.publish(table, kept);
  routine.finish(0);
}
