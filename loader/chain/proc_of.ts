import { arena } from "../../ffi/arena.ts";
import { cstring } from "../../ffi/cstring.ts";
import { invoke } from "../../ffi/machine.ts";

/** What a GetInstanceProcAddr or GetDeviceProcAddr answers for a name; 0n when it has none. */
export function procOf(getProcAddr: bigint, handle: bigint, name: string): bigint {
  const memory = arena(), mark = memory.mark();
  try {
    return invoke(getProcAddr, "q:qq", [handle, memory.place(cstring(name))]) as bigint;
  } finally {
    memory.release(mark);
  }
}
