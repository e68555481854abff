import { versionText } from "../version.ts";
import { allExtensions, findExtension } from "../command/extension.ts";
import type { DeviceFacts } from "./facts.ts";
import { holds, unmetCommands } from "./conditional_commands.ts";
import { demand, type DeviceRule } from "./rule.ts";
import type { Outcome } from "./verdict.ts";

/** How many names a sentence takes. */
const SHOWN = 12;

/** VK3: the commands that must have addresses. */
export const ENTRY_POINT_RULES: readonly DeviceRule[] = [
  {
    id: "VK3",
    rule: "vulkan.entry-points.core",
    requirement: "vkGetInstanceProcAddr and vkGetDeviceProcAddr give every core command of the device's version.",
    source: "Android's implementation guide for Vulkan, loader; Vulkan specification, command function pointers",
    check: checkCore,
  },
  {
    id: "VK3",
    rule: "vulkan.entry-points.extensions",
    requirement: "They give every command of each extension that the driver lists, when it is enabled.",
    source: "Android's implementation guide for Vulkan, loader; Vulkan specification, command function pointers",
    check: checkExtensions,
  },
];

function checkCore(device: DeviceFacts): Outcome {
  const versions = allExtensions().filter(({ name, kind }) => kind === "core" && holds(name, device));
  const commands = versions.flatMap(({ commands }) => commands);
  return outcome(device, commands, [], `all ${commands.length} commands of ${versionText(device.apiVersion)}`);
}

function checkExtensions(device: DeviceFacts): Outcome {
  const own = device.deviceExtensions.filter((name) => !device.isProvided(name));
  const others = device.deviceExtensions.filter((name) => device.isProvided(name)).flatMap(commandsOf);
  const unmet = new Set([...others, ...own.flatMap((name) => unmetCommands(name, device))]);
  const all = own.flatMap(commandsOf).filter((name) => !unmet.has(name));
  return outcome(device, [...new Set(all)], own, `all ${all.length} commands of its ${own.length} extensions`);
}

function commandsOf(extension: string): readonly string[] {
  return findExtension(extension)?.commands ?? [];
}

function outcome(
  device: DeviceFacts,
  wanted: readonly string[],
  extensions: readonly string[],
  all: string,
): Outcome {
  const { commands, problem } = device.unresolved(wanted, extensions);
  if (problem !== undefined) {
    return demand(false, problem, "vkCreateDevice must take what the device lists", "driver");
  }
  if (commands.length === 0) return demand(true, all, "");
  const more = commands.length > SHOWN ? ` and ${commands.length - SHOWN} more` : "";
  return demand(false, `no ${commands.slice(0, SHOWN).join(", ")}${more}`, "the driver must have them", "driver");
}
