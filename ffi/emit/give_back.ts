import type { Routine, Variable } from "./routine.ts";
import { ALLOCATOR } from "./vulkan_layout.ts";

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
