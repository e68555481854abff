import { CONDITIONAL_COMMANDS } from "./gen/conditional_commands_gen.js";
import type { DeviceFacts } from "./facts.ts";

/** Returns the commands of an extension that need other extensions as well, which the device lacks. */
export function unmetCommands(extension: string, device: DeviceFacts): string[] {
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
