/**
 * Chains of native and TypeScript layers in any order, on the tiny driver, and
 * what each layer saw.
 *
 * @module
 */
import { type AnyHook, defineLayer, type Layer, type VulkanOptions } from "../../../loader/mod.ts";
import type { VkInstance } from "../../../loader/types.ts";
import { type LayerMachine, layerName, withMachine } from "../layers/choice/layer_machine.ts";

/** The create info of each device in these tests. */
export const DEVICE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };

/** A TypeScript layer that notes its name and each command in `log`. */
export function noting(name: string, log: string[], ...commands: string[]): Layer {
  const note = (command: string): AnyHook => (next, ...args) => {
    log.push(`${name} ${command}`);
    return next(...args);
  };
  return defineLayer({
    name,
    anyCommand: (command) => commands.includes(command) ? note(command) : undefined,
  });
}

/**
 * Makes an instance with these layers, top to bottom, and hands it over: native
 * ones as `name+flags` of the fixture, TypeScript ones as they are.
 */
export function withMixed(
  layers: readonly (string | Layer)[],
  use: (instance: VkInstance, machine: LayerMachine) => void,
  options: VulkanOptions = {},
): void {
  withMachine((machine) => {
    const names = layers.map((layer) => {
      if (typeof layer !== "string") return layer;
      const [short, flags] = layer.split(/(?=\+)/).length > 1
        ? [layer.slice(0, layer.indexOf("+")), layer.slice(layer.indexOf("+"))]
        : [layer, undefined];
      machine.explicit(short, flags ? { flags } : {});
      return layerName(short);
    });
    using vulkan = machine.load({}, { layers: names, ...options });
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x403000 } });
    use(instance, machine);
  });
}
