import { inFrame } from "../../../../ffi/arena.ts";
import { libcAddress } from "../../../../ffi/libc.ts";
import { bindByAddress, type NativeFunction } from "../../../../ffi/stubs.ts";

const CLOCK_MONOTONIC = 1;
let clock: bigint | undefined, call: NativeFunction | undefined;

/** Finds the clock; to be called once before {@linkcode microseconds} is, outside callbacks. */
export function prepareClock(): void {
  clock ??= libcAddress("clock_gettime");
  call ??= bindByAddress("s:wo"); // int clock_gettime(clockid_t, struct timespec *)
}

/**
 * Microseconds since some moment that stays the same. `performance.now` must
 * not be called while Deno itself calls Vulkan; this one may.
 */
export function microseconds(): number {
  return inFrame((memory) => {
    const at = memory.alloc(16), { view } = memory;
    call!(CLOCK_MONOTONIC, at, clock!);
    return Number(view.getBigInt64(at, true)) * 1e6 + Number(view.getBigInt64(at + 8, true)) / 1e3;
  });
}
