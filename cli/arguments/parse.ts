import { parseArgs } from "node:util";
import { closest } from "../../ffi/check_options.ts";
import { isFile } from "../../ffi/library/library.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { findDrivers } from "../../workbench/runs/testing/find_drivers.ts";
import type { Command, Request } from "../command.ts";
import { requireNative } from "../layers/presets.ts";
import { COMMON_OPTIONS, type CommonValues, givenDrivers, loaderOptions } from "./usage.ts";

/** Parses a command's arguments; `"help"` if they ask for help. Throws {@linkcode WrongUse} for wrong arguments. */
export function parseRequest(name: string, command: Command, args: string[]): Request | "help" {
  const end = args.indexOf("--"), own = end < 0 ? args : args.slice(0, end);
  if (own.includes("-h")) return "help";
  const others = end < 0 && command.handsOn ? 'write "--" before what is not for this command itself' : undefined;
  const known = { ...command.options, ...COMMON_OPTIONS };
  const { values, positionals } = parsed(name, known, own, others);
  if (values.help) return "help";
  checkOperand(name, command, positionals);
  if (end >= 0 && !command.handsOn) {
    throw new WrongUse(`${name}: nothing takes what follows "--"; leave it out`);
  }
  const given = values as CommonValues, { layer = [] } = given;
  const common = { ...given, driver: given.driver?.map(driverPath) };
  if (command.takesNativeLayers) { for (const each of layer) requireNative(name, each); }
  return {
    operand: positionals[0],
    operands: positionals,
    scriptArguments: end < 0 ? [] : args.slice(end + 1),
    json: values.json === true,
    known,
    values: Object.fromEntries(Object.entries(values).filter(([option]) => !(option in COMMON_OPTIONS))),
    options: loaderOptions(common),
    drivers: givenDrivers(common),
  };
}

function parsed(name: string, options: Command["options"], args: string[], others: string | undefined) {
  checkNames(name, Object.keys(options), args, others);
  try {
    return parseArgs({ args: args.map((arg) => withAssumed(options, arg)), allowPositionals: true, options });
  } catch (error) {
    throw new WrongUse(`${name}: ${wrongValue(options, (error as Error).message)}`);
  }
}

/** Gives an option that stands alone the value that is assumed then. */
function withAssumed(options: Command["options"], arg: string): string {
  const assumed = arg.startsWith("--") ? options[arg.slice(2)]?.assumed : undefined;
  return assumed === undefined ? arg : `${arg}=${assumed}`;
}

/** Refuses an unknown option, and names the likely one, or says where those of others belong. */
function checkNames(
  command: string,
  names: readonly string[],
  args: readonly string[],
  others = "its own are listed by --help",
): void {
  for (const arg of args) {
    const [, name] = /^--?([^=]+)/.exec(arg) ?? [];
    if (name === undefined || arg.startsWith("--") && names.includes(name)) continue;
    const meant = closest(name, names), advice = meant ? `did you mean --${meant}?` : others;
    throw new WrongUse(`${command}: there is no option ${arg.split("=")[0]}; ${advice}`);
  }
}

/** Says what is wrong with an option's value, by the name in the parser's message. */
function wrongValue(options: Command["options"], message: string): string {
  const [, name] = /--([\w-]+)/.exec(message) ?? [], option = options[name];
  if (option === undefined) return message.split(/\n|\. /)[0];
  if (option.type === "boolean") return `--${name} takes no value`;
  return `--${name} needs a value: --${name}=${option.value}`;
}

function checkOperand(name: string, { operand, takesSeveral, handsOn }: Command, given: string[]): void {
  if (!takesSeveral && given.length > (operand === "" ? 0 : 1)) {
    const after = operand === "" ? "the program that is started" : "what is for the script";
    const advice = handsOn ? `; ${after} follows "--"` : "";
    throw new WrongUse(`${name}: "${given.at(-1)}" is one word too many${advice}`);
  }
  if (given.length === 0 && operand !== "" && !operand.startsWith("[")) {
    throw new WrongUse(`${name}: ${operand} is missing`);
  }
}

/** A word that is no path: without a folder, and without the ending of a library or manifest. */
const NAME = /^[\w-]+$/;

/**
 * Returns the library or manifest of a driver that a command line names. A short name, such as `lvp`, stands for a
 * driver of this machine's manifests. Throws {@linkcode WrongUse} for a name that no driver has.
 */
export function driverPath(word: string): string {
  if (!NAME.test(word) || word === "auto" || isFile(word)) return word;
  const known = findDrivers({}), driver = known.find(({ name }) => name === word);
  if (driver) return driver.path;
  const found = known.length === 0
    ? "this machine has none; give"
    : `found ${known.map(({ name }) => name).join(", ")}; give one of these names, or`;
  throw new WrongUse(`There is no driver "${word}": ${found} a driver's library or manifest`);
}
