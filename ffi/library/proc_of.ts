import { inFrame } from "../arena.ts";
import { cstring } from "../cstring.ts";
import { invokeAddress } from "../machine.ts";

/** Calls `use` with the address of a C string, which is valid until `use` returns. Returns the result of `use`. */
export function withCString<Result>(text: string, use: (address: bigint) => Result): Result {
  return inFrame((memory) => use(memory.place(cstring(text))));
}

/**
 * Returns the address that a function `void *(void *handle, const char *name)`
 * gives for a name: vkGetInstanceProcAddr, vkGetDeviceProcAddr, dlsym and
 * functions like them.
 */
export function procOf(getProcAddr: bigint, handle: bigint, name: string): bigint {
  return withCString(name, (text) => invokeAddress(getProcAddr, "q:qq", [handle, text]) as bigint);
}
