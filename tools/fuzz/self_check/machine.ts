import type { VulkanOptions } from "../../../loader/mod.ts";
import { defineDriver, type ScriptedDriver } from "../../../loader/drivers.ts";
import { chance, type Choices, pick } from "../../../workbench/programs/choices.ts";

/** The drivers of a program, and which of their devices really work. */
export interface Machine extends Disposable {
  /** The options of `loadVulkan`, without layers. */
  readonly options: VulkanOptions;
  /** The libraries and scripted drivers in their order. */
  readonly names: readonly string[];
}

/** The name of a device that only answers questions. */
export const SCRIPTED = "A second card";

/** Chooses one or several of some drivers, with or without a scripted one beside them, in any order. */
export function chooseMachine(choices: Choices, libraries: readonly string[]): Machine {
  const [first, ...others] = shuffled(choices, libraries);
  const real = [first, ...others.filter(() => chance(choices, 25))];
  const scripted = chance(choices, 35) ? secondCard(choices) : undefined;
  const driver = shuffled<string | ScriptedDriver>(choices, scripted ? [...real, scripted] : real);
  return {
    options: { driver },
    names: driver.map((each) => typeof each === "string" ? each.split("/").at(-1)! : each.name),
    [Symbol.dispose]: () => scripted?.close(),
  };
}

/** A card with other memory types and queue families than software drivers have. */
function secondCard(choices: Choices): ScriptedDriver {
  const memoryTypes = Array.from({ length: choices.integer(2, 5) }, () => (
    { propertyFlags: pick(choices, [1, 6, 7, 14]), heapIndex: 0 }
  ));
  const families = Array.from({ length: choices.integer(1, 3) }, () => (
    { queueFlags: pick(choices, [2, 4, 6, 7]), queueCount: choices.integer(1, 4), timestampValidBits: 64 }
  ));
  return defineDriver({
    name: SCRIPTED,
    physicalDevices: [{
      properties: { deviceName: SCRIPTED },
      memoryProperties: { memoryTypes, memoryHeaps: [{ size: 1n << 30n, flags: 1 }] },
      queueFamilies: families,
    }],
  });
}

/** Returns the members of a list in another order. */
export function shuffled<T>(choices: Choices, list: readonly T[]): T[] {
  const left = [...list];
  return list.map(() => left.splice(choices.integer(0, left.length - 1), 1)[0]);
}
