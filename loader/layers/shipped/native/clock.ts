import { LASTING, NativeBlock } from "../../../../ffi/block.ts";
import { libcAddress } from "../../../../ffi/libc.ts";
import { bindByAddress, type NativeFunction } from "../../../../ffi/stubs.ts";

const CLOCK_MONOTONIC = 1;
let clock: bigint | undefined, call: NativeFunction | undefined;
/** The `struct timespec`: one place for good, because a layer reads the clock twice in each call. */
let time: NativeBlock | undefined;

/** Finds the clock. Call this function once before {@linkcode nanoseconds}, outside callbacks. */
export function prepareClock(): void {
  clock ??= libcAddress("clock_gettime");
  call ??= bindByAddress("s:wq"); // int clock_gettime(clockid_t, struct timespec *); the core image has this signature
  time ??= new NativeBlock(16, LASTING);
}

/**
 * Returns CLOCK_MONOTONIC in whole nanoseconds. `performance.now` must not be
 * called while Deno itself calls Vulkan; this function may.
 */
export function nanoseconds(): number {
  const { view, address } = time!;
  call!(CLOCK_MONOTONIC, address, clock!);
  // The low half of tv_sec is enough for 136 years; a BigInt would be allocated.
  return view.getUint32(0, true) * 1e9 + view.getUint32(8, true);
}

/** Returns {@linkcode nanoseconds} in microseconds. */
export function microseconds(): number {
  return nanoseconds() / 1e3;
}
