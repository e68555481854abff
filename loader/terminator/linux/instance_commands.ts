import { allExtensions } from "../../command/extension.ts";
import { firstParameter } from "../../command/first_parameter.ts";
import { INSTANCE_NAMES } from "../../gen/command_table_gen.js";

let ofGpu: readonly string[] | undefined;
let providers: ReadonlyMap<string, readonly string[]> | undefined;

/** The commands on physical devices, not on the instance itself, which go on to the member the device belongs to. */
export function physicalDeviceCommands(): readonly string[] {
  return ofGpu ??= INSTANCE_NAMES.split(" ").filter((name) => firstParameter("instance", name) === "physicalDevice");
}

/** The commands that make surfaces. */
export function surfaceCommands(): readonly string[] {
  return INSTANCE_NAMES.split(" ").filter((name) => /^vkCreate\w*Surface\w*$/.test(name));
}

/** Whether an instance that enabled these extensions has a command: those of core versions and of device extensions always. */
export function isEnabled(command: string, extensions: ReadonlySet<string>): boolean {
  const needed = (providers ??= readProviders()).get(command);
  return needed === undefined || needed.some((name) => extensions.has(name));
}

/** The instance extensions the registry knows. */
export function knownInstanceExtensions(): Set<string> {
  return new Set(allExtensions().filter(({ kind }) => kind === "instance").map(({ name }) => name));
}

/** Which instance extensions bring a command; absent for commands that something else brings, too. */
function readProviders(): Map<string, readonly string[]> {
  const ofInstance = new Set(INSTANCE_NAMES.split(" ")),
    found = new Map<string, string[]>(),
    always = new Set<string>();
  for (const { name: extension, kind, commands } of allExtensions()) {
    for (const name of commands.filter((command) => ofInstance.has(command))) {
      if (kind !== "instance") always.add(name);
      else found.set(name, [...found.get(name) ?? [], extension]);
    }
  }
  for (const name of always) found.delete(name);
  return found;
}
