import { versionText } from "../version.ts";
import { allExtensions, findExtension } from "../command/registry/extension.ts";
import type { DeviceFacts, UnresolvedCommands } from "./facts.ts";
import { demand } from "./requirement.ts";
import type { DeviceRule } from "./rule.ts";
import type { Outcome } from "./verdict.ts";
import { CONDITIONAL_COMMANDS } from "./gen/conditional_commands_gen.js";

/** Returns the commands of an extension that need other extensions as well, which the device lacks. */
function unmetCommands(extension: string, device: DeviceFacts): string[] {
  const lines = CONDITIONAL_COMMANDS.split("\n").filter((line) => line.startsWith(`${extension} `));
  return lines.flatMap((line) => {
    const [, condition, ...commands] = line.split(" ");
    return holds(condition, device) ? [] : commands;
  });
}

/**
 * Whether a condition of the registry holds: names of versions and extensions,
 * `+` for "and", `,` for "or", parentheses. Evaluated from left to right.
 */
export function holds(condition: string, device: DeviceFacts): boolean {
  const words = condition.match(/[\w:]+|[(),+]/g) ?? [];
  let at = 0;
  return expression();

  function expression(): boolean {
    let value = term();
    while (words[at] === "+" || words[at] === ",") {
      const operator = words[at++], right = term();
      value = operator === "+" ? value && right : value || right;
    }
    return value;
  }

  function term(): boolean {
    if (words[at] !== "(") return has(words[at++], device);
    at++;
    const value = expression();
    at++;
    return value;
  }
}

/** A version, an extension, or a feature of a struct. Features are assumed to be present. */
function has(name: string, device: DeviceFacts): boolean {
  const version = /^VK_(?:BASE_|COMPUTE_|GRAPHICS_)?VERSION_(\d+)_(\d+)$/.exec(name);
  if (version) return device.apiVersion >>> 12 >= (Number(version[1]) << 10 | Number(version[2]));
  return name.includes("::") || device.extensions.has(name);
}

/** The most names in a sentence. */
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
    requirement: "They give every command of each extension that the driver lists, once the extension is enabled.",
    source: "Android's implementation guide for Vulkan, loader; Vulkan specification, command function pointers",
    check: checkExtensions,
  },
];

function checkCore(device: DeviceFacts): Outcome {
  const versions = allExtensions().filter(({ name, kind }) => kind === "core" && holds(name, device));
  const commands = versions.flatMap(({ commands }) => commands);
  return outcome(device.unresolved(commands), `all ${commands.length} commands of ${versionText(device.apiVersion)}`);
}

function checkExtensions(device: DeviceFacts): Outcome {
  const own = device.deviceExtensions.filter((name) => !device.isProvided(name));
  const others = device.deviceExtensions.filter((name) => device.isProvided(name)).flatMap(commandsOf);
  const unmet = new Set([...others, ...own.flatMap((name) => unmetCommands(name, device))]);
  const all = own.flatMap(commandsOf).filter((name) => !unmet.has(name));
  const { commands, problem } = device.unresolved([...new Set(all)], own);
  const later = new Set(own.filter((name) => isOlder(name, device)).flatMap(commandsOf));
  const [excused, missing] = [true, false].map((isLater) => commands.filter((name) => later.has(name) === isLater));
  const but = excused.length === 0 ? "" : `, but for ${list(excused)}, which later revisions may have brought`;
  return outcome({ commands: missing, problem }, `all ${all.length} commands of its ${own.length} extensions${but}`);
}

/** Whether a device has an extension in an older revision than the registry's. */
function isOlder(extension: string, device: DeviceFacts): boolean {
  return (device.extensions.get(extension) ?? 0) < (findExtension(extension)?.specVersion ?? 0);
}

function commandsOf(extension: string): readonly string[] {
  return findExtension(extension)?.commands ?? [];
}

function outcome({ commands, problem }: UnresolvedCommands, all: string): Outcome {
  if (problem !== undefined) {
    return demand(false, problem, "vkCreateDevice must accept every extension that the device lists", "driver");
  }
  if (commands.length === 0) return demand(true, all, "");
  return demand(false, `no ${list(commands)}`, "the driver must have them", "driver");
}

function list(commands: readonly string[]): string {
  const more = commands.length > SHOWN ? ` and ${commands.length - SHOWN} more` : "";
  return `${commands.slice(0, SHOWN).join(", ")}${more}`;
}
