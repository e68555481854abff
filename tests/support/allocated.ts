import { NativeBlock } from "../../ffi/block.ts";
import { invokeAddress } from "../../ffi/invoke.ts";
import { libcAddress } from "../../ffi/libc.ts";

/**
 * Bytes that are allocated with malloc in this process, by `mallinfo2()`. The
 * struct comes back at the address in a hidden first argument; AArch64 passes
 * that in a register no call of ours sets, so there the resident memory without
 * the engine's heap stands for it.
 */
export function allocatedBytes(): number {
  if (Deno.build.arch === "aarch64") {
    const { rss, heapTotal } = Deno.memoryUsage();
    return rss - heapTotal;
  }
  using memory = new NativeBlock(10 * 8);
  invokeAddress(libcAddress("mallinfo2"), "v:q", [memory.address]);
  const [hblkhd, uordblks] = [4, 7].map((field) => memory.view.getBigUint64(8 * field, true));
  return Number(hblkhd + uordblks);
}
