import { inFrame } from "../arena.ts";
import { cstring } from "../cstring.ts";
import { invoke } from "../machine.ts";

/** Runs `use` with the address of a text as C wants it, which is there until `use` ends; returns what that returns. */
export function withCString<Result>(text: string, use: (address: bigint) => Result): Result {
  return inFrame((memory) => use(memory.place(cstring(text))));
}

/**
 * What a `void *(void *handle, const char *name)` answers to a name:
 * vkGetInstanceProcAddr and vkGetDeviceProcAddr, dlsym, and functions like them.
 */
export function procOf(getProcAddr: bigint, handle: bigint, name: string): bigint {
  return withCString(name, (text) => invoke(getProcAddr, "q:qq", [handle, text]) as bigint);
}
