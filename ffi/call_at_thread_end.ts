import { coreImage } from "./image/core.ts";
import { invokeAddress } from "./invoke.ts";
import { libcAddress } from "./libc.ts";

/**
 * Lets the C library call an emitted function with an argument when this thread
 * ends, for whatever reason. Nothing is called without emitted code, or if the
 * C library has no such function.
 */
export function callAtThreadEnd(name: "callLast" | "takeLeave", argument: bigint): void {
  const core = coreImage(), register = libcAddress("__cxa_thread_atexit_impl");
  if (!core || register === 0n) return;
  const address = core.image.address(name);
  // int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *addressInItsLibrary)
  invokeAddress(register, "s:qqq", [address, argument, address]);
}
