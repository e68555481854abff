import { parseArgs } from "node:util";
import { type Command, type Request, WrongUse } from "./command.ts";
import { COMMON_OPTIONS, type CommonValues, loaderOptions } from "./common_options.ts";

/** What a command's arguments ask for; `"help"` if it is what it takes. Throws {@linkcode WrongUse} for wrong ones. */
export function parseRequest(name: string, command: Command, args: string[]): Request | "help" {
  const { values, positionals } = parsed({ ...command.options, ...COMMON_OPTIONS }, args);
  if (values.help) return "help";
  checkOperand(name, command, positionals);
  const own = Object.entries(values).filter(([option]) => !(option in COMMON_OPTIONS));
  return {
    operand: positionals[0],
    json: values.json === true,
    values: Object.fromEntries(own),
    options: loaderOptions(values as CommonValues),
  };
}

function parsed(options: Command["options"], args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new WrongUse((error as Error).message);
  }
}

function checkOperand(name: string, { operand }: Command, given: string[]): void {
  if (given.length > (operand === "" ? 0 : 1)) throw new WrongUse(`${name}: "${given.at(-1)}" is one word too many`);
  if (given.length === 0 && operand !== "" && !operand.startsWith("[")) {
    throw new WrongUse(`${name}: ${operand} is missing`);
  }
}
