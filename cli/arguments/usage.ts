import type { Command, Option } from "../command.ts";
import { COMMON_OPTIONS } from "./common_options.ts";

/** All commands, a line each. */
export function usage(commands: ReadonlyMap<string, Command>): string {
  const lines = [...commands].map(([name, command]) => [`${name} ${operands(command)}`, command.summary] as const);
  return `Usage: cli.ts COMMAND [options]

Commands:
${table(lines)}

Options of all commands:
${optionLines(COMMON_OPTIONS)}`;
}

/** Returns a command's usage. */
export function commandUsage(name: string, command: Command): string {
  const { summary, options } = command;
  const own = Object.keys(options).length > 0 ? `\n\nOptions:\n${optionLines(options)}` : "";
  return `Usage: cli.ts ${`${name} ${operands({ ...command, passesArguments: false })}`.trim()} [options]${
    command.passesArguments ? " [-- ARGS]" : ""
  }

${summary[0].toUpperCase()}${summary.slice(1)}.${own}

Options of all commands:
${optionLines(COMMON_OPTIONS)}`;
}

/** One line about a command line that makes no sense. */
export function hint(name?: string): string {
  return `Try: cli.ts ${name === undefined ? "" : `${name} `}--help`;
}

function operands({ operand, passesArguments }: Command): string {
  return passesArguments ? `${operand} [-- ARGS]` : operand;
}

function optionLines(options: Readonly<Record<string, Option>>): string {
  return table(Object.entries(options).map(([name, { value = "", help }]) => [`--${name} ${value}`, help]));
}

function table(lines: readonly (readonly [string, string])[]): string {
  const width = Math.max(...lines.map(([left]) => left.trim().length));
  return lines.map(([left, right]) => `  ${left.trim().padEnd(width)}  ${right}`).join("\n");
}
