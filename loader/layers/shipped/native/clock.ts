import { inFrame } from "../../../../ffi/arena.ts";
import { libcAddress } from "../../../../ffi/libc.ts";
import { bindByAddress, type NativeFunction } from "../../../../ffi/stubs.ts";

const CLOCK_MONOTONIC = 1;
let clock: bigint | undefined, call: NativeFunction | undefined;

/** Finds the clock. Call this function once before {@linkcode microseconds}, outside callbacks. */
export function prepareClock(): void {
  clock ??= libcAddress("clock_gettime");
  call ??= bindByAddress("s:wo"); // int clock_gettime(clockid_t, struct timespec *)
}

/**
 * Returns the microseconds since a fixed moment. `performance.now` must not be
 * called while Deno itself calls Vulkan; this function may.
 */
export function microseconds(): number {
  return inFrame((memory) => {
    const at = memory.alloc(16), { view } = memory;
    call!(CLOCK_MONOTONIC, at, clock!);
    return Number(view.getBigInt64(at, true)) * 1e6 + Number(view.getBigInt64(at + 8, true)) / 1e3;
  });
}
