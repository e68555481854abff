import { findCommand } from "../command/table.ts";
import type { Layer } from "../layer.ts";

/**
 * Declares a layer. It does nothing but check the shape and give the hooks
 * their types; put the layer in `layers` of `loadVulkan` or attach it to an
 * instance.
 *
 * @throws {TypeError} when the name is empty, a hook is no function, or a command does not exist.
 *
 * @example A layer that counts submissions
 * ```ts
 * import { defineLayer } from "@pumice/gfx/loader";
 *
 * let submits = 0;
 * const counter = defineLayer({
 *   name: "VK_LAYER_EXAMPLE_counter",
 *   commands: {
 *     vkQueueSubmit(next, queue, submitCount, pSubmits, fence) {
 *       submits++;
 *       return next(queue, submitCount, pSubmits, fence);
 *     },
 *   },
 * });
 * ```
 */
export function defineLayer(layer: Layer): Layer {
  if (typeof layer.name !== "string" || layer.name === "") {
    throw new TypeError("Cannot define a layer without a name: give it one such as VK_LAYER_EXAMPLE_counter");
  }
  for (const [command, hook] of Object.entries(layer.commands ?? {})) checkHook(layer.name, command, hook);
  return layer;
}

function checkHook(layer: string, command: string, hook: unknown): void {
  if (typeof hook !== "function") {
    throw new TypeError(`${layer}: commands.${command} is ${typeof hook}; write it as a function (next, ...arguments)`);
  }
  if (!findCommand(command)) {
    throw new TypeError(`${layer}: there is no Vulkan command ${command}; check the spelling`);
  }
}
