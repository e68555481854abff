import { allExtensions } from "../../../command/extension.ts";
import { firstParameter } from "../../../command/first_parameter.ts";
import { INSTANCE_NAMES } from "../../../gen/command_table_gen.js";

let ofGpu: readonly string[] | undefined;

/** The commands on physical devices, not on the instance itself, which go on to the member the device belongs to. */
export function physicalDeviceCommands(): readonly string[] {
  return ofGpu ??= INSTANCE_NAMES.split(" ").filter((name) => firstParameter("instance", name) === "physicalDevice");
}

/** The commands that make surfaces. */
export function surfaceCommands(): readonly string[] {
  return INSTANCE_NAMES.split(" ").filter((name) => /^vkCreate\w*Surface\w*$/.test(name));
}

/** The instance extensions the registry knows. */
export function knownInstanceExtensions(): Set<string> {
  return new Set(allExtensions().filter(({ kind }) => kind === "instance").map(({ name }) => name));
}
