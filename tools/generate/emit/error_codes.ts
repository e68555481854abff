import type { Registry } from "../registry/model.ts";
import { resolveCommand } from "../registry/read_commands.ts";
import { header, textConstant } from "./header.ts";
import { valuesByName } from "./spec.ts";

/** Writes `error_codes_gen.js`: which errors each command may return. Few sets are many commands', so a line is a set. */
export function emitErrorCodes(registry: Registry): string {
  const values = valuesByName(registry), lines = new Map<string, string[]>();
  for (const command of registry.commands.values()) {
    const codes = resolveCommand(registry.commands, command).errorCodes.map((code) => Number(values.get(code)));
    if (codes.length === 0) continue;
    const key = [...new Set(codes)].sort((a, b) => b - a).join("|");
    lines.set(key, [...lines.get(key) ?? [], command.name]);
  }
  return header(registry.version) + textConstant(
    "ERROR_CODES",
    "One line per set of error codes: `CODE|CODE... NAME NAME ... `, the commands that may return these.",
    [...lines].map(([codes, names]) => `${codes} ${names.join(" ")} `),
  );
}
