import type { Routine, Variable } from "../../ffi/emit/routine.ts";
import type { Alone } from "./alone.ts";
import { offsetsOfVkAllocationCallbacks, sizeOfVkAllocationCallbacks } from "../gen/native_gen.ts";

/** A terminator that notes the end of an object: its command, and the place of the note. */
export interface FarewellSpec {
  /** The name for finding the address later. */
  readonly name: string;
  /** Byte offset, in the dispatch table, of the command to call: `void (handle, allocator)`. */
  readonly offset: number;
  /** Byte offset, in the dispatch table, of eight bytes that are not 0 afterwards. */
  readonly noteOffset: number;
  /**
   * Byte offset, in the dispatch table, of a list of blocks that application's callbacks gave: each begins with a copy of
   * the callbacks, then has the address of the next block or 0. The last block is the object's own.
   */
  readonly keptOffset: number;
  /** Byte offset, in the dispatch table, of the address of the word for {@linkcode Alone}; 0 there for none. */
  readonly aloneOffset: number;
}

/**
 * Writes `void farewell(handle, allocator)`: calls the command of the table,
 * frees the object's memory from the application's callbacks, and then notes in
 * the table that the object is gone. The thread is alone in the command.
 */
export function writeFarewell(
  routine: Routine,
  { name, offset, noteOffset, keptOffset, aloneOffset }: FarewellSpec,
  { enter, leave }: Alone,
): void {
  const handle: Variable = 0, allocator: Variable = 1, table: Variable = 2, kept: Variable = 3, next: Variable = 4;
  const own = routine.label(), given = routine.label(), none = routine.label();
  const entered = routine.label(), left = routine.label();
  routine.begin(name);
  routine.argument(handle, 0);
  routine.argument(allocator, 1);
  routine.load(table, handle);
  routine.load(next, table, aloneOffset);
  routine.ifZero(next, entered);
  routine.pass(0, next);
  routine.call(enter);
  routine.result(kept);
  routine.ifNotZero(kept, entered);
  routine.set(next, 0); // not this call is to leave
  routine.place(entered);
  routine.load(kept, table, keptOffset);
  routine.pass(0, handle);
  routine.pass(1, allocator);
  routine.callAt(table, offset);
  routine.ifZero(next, left);
  routine.pass(0, next);
  routine.call(leave);
  routine.place(left);
  const again = routine.here();
  routine.ifZero(kept, none);
  routine.load(next, kept, sizeOfVkAllocationCallbacks);
  routine.ifNotZero(next, own);
  routine.ifNotZero(allocator, given);
  routine.place(own);
  writeFree(routine, kept, kept, handle);
  routine.copy(kept, next);
  routine.jump(again);
  routine.place(given);
  writeFree(routine, allocator, kept, handle);
  routine.place(none);
  routine.set(kept, 1);
  routine.add(table, noteOffset);
  routine.publish(table, kept);
  routine.finish(0);
}

/**
 * Frees memory with the application's callbacks at the address in `allocator`.
 * Both variables must not be NULL. `user` is overwritten.
 */
export function writeFree(routine: Routine, allocator: Variable, memory: Variable, user: Variable): void {
  routine.load(user, allocator, offsetsOfVkAllocationCallbacks.pUserData);
  routine.pass(0, user);
  routine.pass(1, memory);
  routine.callAt(allocator, offsetsOfVkAllocationCallbacks.pfnFree);
}
