import type { Command } from "./command.ts";
import { closest } from "../ffi/check_options.ts";
import { commandUsage, usage } from "./arguments/usage.ts";
import { WrongUse } from "../workbench/process/exit_code.ts";

type Commands = ReadonlyMap<string, Command>;

/** The usage of a command, or of all. Throws {@linkcode WrongUse} for a command that there is not. */
export function helpText(commands: Commands, name?: string): string {
  if (name === undefined) return usage(commands);
  const command = commands.get(name);
  if (command) return commandUsage(name, command);
  throw new WrongUse(noCommand(commands, name));
}

/** Says that there is no such command, and which was meant. */
export function noCommand(commands: Commands, name: string): string {
  const names = [...commands.keys()], meant = closest(name, names);
  if (name === "") return `Give a command: ${names.join(", ")}`;
  return `There is no command "${name}": ${meant ? `did you mean ${meant}?` : `give ${names.join(", ")}`}`;
}

/** The versions of Pumice and Deno, and the machine. */
export async function versionText(): Promise<string> {
  const { default: { version } } = await import("../deno.json", { with: { type: "json" } });
  const { os, arch } = Deno.build;
  return `pumice ${version} (Deno ${Deno.version.deno}, ${os} ${arch})`;
}
