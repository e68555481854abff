import type { GpuTestContext } from "./context.ts";
import { endWithParent } from "../../process/end_with_parent.ts";
import type { GpuTestSpec } from "./options.ts";
import { notingLayer } from "./noting_layer.ts";
import { perform } from "./perform.ts";
import { goldenPlace } from "./places.ts";
import type { Task } from "./task.ts";
import { Where } from "./where.ts";

/** Runs this process's test, writes the outcome to a file, and ends the process. */
export async function runTask(task: Task, spec: GpuTestSpec<GpuTestContext>): Promise<never> {
  using where = new Where(task.where);
  if (!endWithParent(task.parent)) Deno.exit(1);
  const outcome = await perform(spec, {
    driver: task.driver,
    place: goldenPlace(spec, task.driver, task.leads),
    layers: [notingLayer(where, task.notesAll)],
    begin: () => where.begin(),
  });
  Deno.writeTextFileSync(task.result, JSON.stringify(outcome));
  Deno.exit(0);
}
