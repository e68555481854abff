import { libcAddress } from "../../ffi/libc.ts";
import { invokeAddress } from "../../ffi/machine.ts";
import type { GpuTestContext } from "./context.ts";
import type { GpuTestSpec } from "./options.ts";
import { notingLayer } from "./noting_layer.ts";
import { perform } from "./perform.ts";
import { goldenPlace } from "./places.ts";
import type { Task } from "./task.ts";
import { Where } from "./where.ts";

const PR_SET_PDEATHSIG = 1, SIGKILL = 9n;

/** Runs this process's test, writes the outcome to a file, and ends the process. */
export async function runTask(task: Task, spec: GpuTestSpec<GpuTestContext>): Promise<never> {
  using where = new Where(task.where);
  endWith(task.parent);
  const outcome = await perform(spec, {
    driver: task.driver,
    place: goldenPlace(spec, task.driver, task.leads),
    layers: [notingLayer(where, task.notesAll)],
    begin: () => where.begin(),
  });
  Deno.writeTextFileSync(task.result, JSON.stringify(outcome));
  Deno.exit(0);
}

/** Makes the kernel end this process when its parent ends, so that a hanging test does not outlive the parent. */
function endWith(parent: number): void {
  // int prctl(int option, unsigned long arg2, ...)
  invokeAddress(libcAddress("prctl"), "s:sqqqq", [PR_SET_PDEATHSIG, SIGKILL, 0n, 0n, 0n]);
  if (Deno.ppid !== parent) Deno.exit(1);
}
