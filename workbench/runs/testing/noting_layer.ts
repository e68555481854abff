import { commandNames, defineLayer } from "../../../loader/layers/define/define_layer.ts";
import type { Layer } from "../../../loader/layer.ts";
import type { Where } from "./where.ts";

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
export function notingLayer(where: Where, all = false): Layer {
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
