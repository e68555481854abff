import type { VulkanOptions } from "../../loader/mod.ts";
import type { Command, Option } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { closest } from "../../ffi/check_options.ts";

const PLATFORMS = ["auto", "android", "linux"] as const;

/** The options of every command. */
export const COMMON_OPTIONS = {
  driver: {
    type: "string",
    multiple: true,
    value: "DRIVER",
    help: "a driver's library or manifest, or the name of a driver of this machine, such as lvp; may be repeated",
  },
  layer: {
    type: "string",
    multiple: true,
    value: "LAYER",
    help:
      "a layer, by name, library, manifest or module (.ts), or profile, leaks, trace:FILE, record:FILE, limits:FILE, " +
      "faults:FILE, spirv:FOLDER; may be repeated",
  },
  platform: { type: "string", value: "NAME", help: "the platform whose rules to follow: android or linux" },
  root: { type: "string", value: "FOLDER", help: "a folder in place of the device's /, on Android" },
  "system-properties": { type: "string", value: "FILE", help: "a build.prop or the output of getprop" },
  json: { type: "boolean", help: "print JSON" },
  help: { type: "boolean", help: "show a command's options" },
} as const satisfies Readonly<Record<string, Option>>;

/** Their values, as parsed. */
export interface CommonValues {
  readonly driver?: string[];
  readonly layer?: string[];
  readonly platform?: string;
  readonly root?: string;
  readonly "system-properties"?: string;
}

/** Returns the drivers of a command line, in order; none where `"auto"` alone stands for a search. */
export function givenDrivers({ driver = [] }: CommonValues): readonly string[] {
  return driver.length === 1 && driver[0] === "auto" ? [] : driver;
}

/** Converts the values to options of a loader. Throws {@linkcode WrongUse} for an unknown platform. */
export function loaderOptions(
  values: CommonValues,
): VulkanOptions {
  const { layer = [], platform = "auto", root, "system-properties": systemProperties } = values;
  const known = PLATFORMS.find((each) => each === platform);
  if (!known) throw new WrongUse(`"${platform}" is not a platform: give one of ${PLATFORMS.join(", ")}`);
  const drivers = givenDrivers(values), driver = drivers.length > 1 ? drivers : drivers[0] ?? "auto";
  return { driver, layers: layer, root, systemProperties, platform: known };
}

/** All commands, a line each. */
export function usage(commands: ReadonlyMap<string, Command>): string {
  const lines = [...commands].map(([name, command]) =>
    [join(name, command.operand, command.handsOn), command.summary] as const
  );
  return `Usage: pumice COMMAND [options]
       pumice help COMMAND

Commands:
${table(lines)}

Options of all commands:
${optionLines(COMMON_OPTIONS)}`;
}

/** Returns a command's usage. */
export function commandUsage(name: string, command: Command): string {
  const { summary, options, operand, handsOn } = command;
  const own = Object.keys(options).length > 0 ? `\n\nOptions:\n${optionLines(options)}` : "";
  return `Usage: pumice ${join(name, operand, "[options]", handsOn)}

${summary[0].toUpperCase()}${summary.slice(1)}.${own}

Options of all commands:
${optionLines(COMMON_OPTIONS)}`;
}

/** One line about a command line that makes no sense. */
export function hint(name?: string): string {
  return `Try: pumice ${name === undefined ? "" : `${name} `}--help`;
}

function join(...words: readonly (string | undefined)[]): string {
  return words.filter(Boolean).join(" ");
}

function optionLines(options: Readonly<Record<string, Option>>): string {
  return table(Object.entries(options).map(([name, option]) => [`--${name}${valueOf(option)}`, option.help]));
}

function valueOf({ value = "", assumed }: Option): string {
  return assumed === undefined ? ` ${value}` : `[=${value}]`;
}

function table(lines: readonly (readonly [string, string])[]): string {
  const width = Math.max(...lines.map(([left]) => left.trim().length));
  return lines.map(([left, right]) => `  ${left.trim().padEnd(width)}  ${right}`).join("\n");
}

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
  const { default: { version } } = await import("../../deno.json", { with: { type: "json" } });
  const { os, arch } = Deno.build;
  return `pumice ${version} (Deno ${Deno.version.deno}, ${os} ${arch})`;
}
