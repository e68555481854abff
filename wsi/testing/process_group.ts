import { libcAddress } from "../../ffi/libc.ts";
import { invokeAddress } from "../../ffi/machine.ts";

const SIGKILL = 9;

/**
 * Ends what a process that leads its own group has left behind. Does nothing without permission for native code; Deno
 * itself requires permission to start any program for that.
 */
export function endGroup(leader: number): void {
  if (Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return;
  invokeAddress(libcAddress("kill"), "s:ss", [-leader, SIGKILL]); // int kill(pid_t pid, int sig)
}
