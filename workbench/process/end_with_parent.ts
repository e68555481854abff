import { libcAddress } from "../../ffi/libc.ts";
import { invokeAddress } from "../../ffi/machine.ts";

const PR_SET_PDEATHSIG = 1, SIGKILL = 9n;

/**
 * Makes the kernel end this process when its parent ends, so that a process
 * that hangs does not outlive the one that waits for it. Returns whether the
 * parent is still there.
 */
export function endWithParent(parent: number): boolean {
  // int prctl(int option, unsigned long arg2, ...)
  invokeAddress(libcAddress("prctl"), "s:sqqqq", [PR_SET_PDEATHSIG, SIGKILL, 0n, 0n, 0n]);
  return Deno.ppid === parent;
}
