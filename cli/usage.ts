import type { Command, Option } from "./command.ts";
import { COMMON_OPTIONS } from "./common_options.ts";

/** All commands, a line each. */
export function usage(commands: ReadonlyMap<string, Command>): string {
  const lines = [...commands].map(([name, { operand, summary }]) => [`${name} ${operand}`, summary] as const);
  return `Usage: cli.ts COMMAND [options]

Commands:
${table(lines)}

Options of all commands:
${optionLines(COMMON_OPTIONS)}`;
}

/** What a command takes. */
export function commandUsage(name: string, { operand, summary, options }: Command): string {
  const own = Object.keys(options).length > 0 ? `\n\nOptions:\n${optionLines(options)}` : "";
  return `Usage: cli.ts ${`${name} ${operand}`.trim()} [options]

${summary[0].toUpperCase()}${summary.slice(1)}.${own}

Options of all commands:
${optionLines(COMMON_OPTIONS)}`;
}

function optionLines(options: Readonly<Record<string, Option>>): string {
  return table(Object.entries(options).map(([name, { value = "", help }]) => [`--${name} ${value}`, help]));
}

function table(lines: readonly (readonly [string, string])[]): string {
  const width = Math.max(...lines.map(([left]) => left.trim().length));
  return lines.map(([left, right]) => `  ${left.trim().padEnd(width)}  ${right}`).join("\n");
}
