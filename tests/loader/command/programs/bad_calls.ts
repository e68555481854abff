/**
 * Calls every command of a driver with each bad value in turn, the rest of the
 * arguments being plausible. Prints how many calls were made, and those that
 * threw no TypeError; a line before the first call of each command.
 *
 * @module
 */
import { findCommand } from "../../../../loader/command/registry/table.ts";
import { callerParameters, planOf } from "../../../../loader/command/plan.ts";
import { COMMANDS } from "../../../../loader/gen/command_table_gen.js";
import { openDevice } from "../../../support/device.ts";
import { BadValues } from "./bad_values.ts";
import { goodArgument } from "./good_values.ts";

type Methods = Record<string, (...args: unknown[]) => unknown> & { supports(name: string): boolean };

using opened = openDevice({ driver: Deno.args[0] });
const { vulkan, instance, gpu } = opened;
using device = gpu.vkCreateDevice({
  pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  ppEnabledExtensionNames: gpu.vkEnumerateDeviceExtensionProperties().map(({ extensionName }) => extensionName),
});
const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
const objects: Record<string, unknown> = {
  VkInstance: instance,
  VkPhysicalDevice: gpu,
  VkDevice: device,
  VkQueue: device.vkGetDeviceQueue(0, 0),
  VkCommandBuffer: commands,
};
const bad = new BadValues(instance);
const accepted: string[] = [];
let calls = 0;

for (const name of COMMANDS.trim().split("\n").map((line) => line.split(" ")[0])) {
  const command = findCommand(name)!, plan = planOf(command), parameters = callerParameters(plan);
  if (command.level === "device" && !device.supports(name)) continue;
  if (command.level === "instance" && !instance.supports(name)) continue;
  const object = (command.level === "global" ? vulkan : objects[command.params[0].type]) as Methods;
  console.log(name);
  const good = parameters.map(goodArgument);
  parameters.forEach((parameter, index) => {
    for (const value of bad.of(plan, parameter)) {
      calls++;
      const outcome = outcomeOf(() => object[name](...good.with(index, value)));
      if (outcome !== "TypeError") accepted.push(`${name} ${parameter.name} ${Deno.inspect(value)}: ${outcome}`);
    }
  });
}
console.log(JSON.stringify({ calls, accepted: accepted.slice(0, 20) }));

function outcomeOf(call: () => unknown): string {
  try {
    call();
    return "no error";
  } catch (error) {
    return error instanceof TypeError ? "TypeError" : String(error);
  }
}
