import type { Registry } from "../registry/model.ts";
import { header, textConstant } from "./header.ts";

/** Writes `conditional_commands_gen.js`: the commands that extensions bring only together with others. */
export function emitConditionalCommands(registry: Registry): string {
  const lines = registry.blocks.filter(({ kind }) => kind !== "version").flatMap(({ name, conditional }) =>
    conditional.map(({ condition, commands }) => [name, condition, ...commands].join(" "))
  );
  return header(registry.version) + textConstant(
    "CONDITIONAL_COMMANDS",
    "One line per group of commands: `EXTENSION CONDITION command ...`; the condition as the registry has it: + for and, a comma for or.",
    lines,
  );
}
