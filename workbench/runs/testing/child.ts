import type { GpuTestContext } from "./context.ts";
import { endWithParent } from "../../process/end_with_parent.ts";
import type { GpuTestSpec } from "./options.ts";
import { perform } from "./perform.ts";
import { goldenPlace } from "./places.ts";
import type { Task } from "./task.ts";
import { Where } from "./where.ts";
import { commandNames, defineLayer } from "../../../loader/layers/define/define_layer.ts";
import type { Layer } from "../../../loader/layer.ts";

/** Commands that may take long, or for ever, and commands in which drivers crash. */
const NOTED = [
  "vkCreateDevice",
  "vkCreateShaderModule",
  "vkCreateComputePipelines",
  "vkCreateGraphicsPipelines",
  "vkCreateRayTracingPipelinesKHR",
  "vkAllocateMemory",
  "vkQueueSubmit",
  "vkQueueSubmit2",
  "vkQueueSubmit2KHR",
  "vkQueueBindSparse",
  "vkQueuePresentKHR",
  "vkQueueWaitIdle",
  "vkDeviceWaitIdle",
  "vkWaitForFences",
  "vkWaitSemaphores",
  "vkWaitSemaphoresKHR",
  "vkGetQueryPoolResults",
  "vkAcquireNextImageKHR",
  "vkAcquireNextImage2KHR",
  "vkDestroyDevice",
  "vkDestroyInstance",
];

/** A layer that notes commands in a file before they are called: those that may take long, or all. */
function notingLayer(where: Where, all = false): Layer {
  const hook = (command: string) => (next: (...args: unknown[]) => unknown, ...args: unknown[]) => {
    where.note(`in ${command}`);
    const result = next(...args);
    where.rest();
    return result;
  };
  const noted = all ? commandNames() : NOTED;
  const commands = Object.fromEntries(noted.map((command) => [command, hook(command)]));
  return defineLayer({ name: "VK_LAYER_PUMICE_where", commands: commands as Layer["commands"] });
}

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
