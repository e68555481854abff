import { arena } from "../../ffi/arena.ts";
import { libcAddress } from "../../ffi/libc.ts";
import { bindByAddress } from "../../ffi/stubs.ts";

const CLOCK_MONOTONIC = 1;
let address: bigint | undefined;

/** CLOCK_MONOTONIC in nanoseconds: the clock of timestamps, fences and refreshes. */
export function monotonicNow(): bigint {
  address ??= libcAddress("clock_gettime");
  const memory = arena(), mark = memory.mark(), at = memory.alloc(16);
  bindByAddress("s:wo")(CLOCK_MONOTONIC, at, address); // int clock_gettime(clockid_t clk_id, struct timespec *tp)
  const { view } = memory, now = view.getBigInt64(at, true) * 1_000_000_000n + view.getBigInt64(at + 8, true);
  memory.release(mark);
  return now;
}
