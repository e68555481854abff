import type { Routine, Variable } from "../../ffi/emit/routine.ts";
import { ALLOCATOR } from "./layout.ts";

/** A terminator that notes the end of an object: which command it stands for, and where that is. */
export interface FarewellSpec {
  /** Name to find the address by later. */
  readonly name: string;
  /** Byte offset, in the dispatch table, of the command to call: `void (handle, allocator)`. */
  readonly offset: number;
  /** Byte offset, in the dispatch table, of the eight bytes that are not 0 afterwards. */
  readonly noteOffset: number;
  /**
   * Byte offset, in the dispatch table, of the address of what the application's callbacks gave for the object, which begins
   * with a copy of them; 0 for nothing.
   */
  readonly keptOffset: number;
}

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

/**
 * Frees memory that came from an application's callbacks, by those at the address in `allocator`. Both variables must
 * hold what is not NULL; `user` is changed.
 */
export function writeFree(routine: Routine, allocator: Variable, memory: Variable, user: Variable): void {
  routine.load(user, allocator, ALLOCATOR.userData);
  routine.pass(0, user);
  routine.pass(1, memory);
  routine.callAt(allocator, ALLOCATOR.free);
}
