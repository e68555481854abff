import { arena } from "../../ffi/arena.ts";
import { libcAddress } from "../../ffi/libc.ts";
import { bindByAddress } from "../../ffi/stubs.ts";

const CLOCK_MONOTONIC = 1;

let address: bigint | undefined;

/** CLOCK_MONOTONIC now, nanoseconds: what frames are timed by. */
export function monotonicNow(): bigint {
  const memory = arena(), mark = memory.mark(), at = memory.alloc(16);
  // int clock_gettime(clockid_t clockid, struct timespec *tp)
  bindByAddress("s:so")(CLOCK_MONOTONIC, at, address ??= libcAddress("clock_gettime"));
  const now = memory.view.getBigInt64(at, true) * 1_000_000_000n + memory.view.getBigInt64(at + 8, true);
  memory.release(mark);
  return now;
}
