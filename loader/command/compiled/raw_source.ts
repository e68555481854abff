import { kindOf } from "../../codec/layout/tables.ts";
import type { Spec } from "../../codec/layout/spec.ts";
import type { Command } from "../table.ts";

/** The parameter names of a command's raw form, as JavaScript identifiers that cannot collide with reserved words. */
export function rawParameters(command: Command): string[] {
  return command.params.map((spec) => spec.name === "function" ? "function_" : spec.name);
}

/**
 * The raw form of a command: C parameters as numbers and bigints, nothing
 * encoded, nothing allocated. 32-bit arguments are truncated here, because
 * native stubs throw on out-of-range numbers while cold and wrap while hot.
 */
export function rawSource(command: Command): string {
  const names = rawParameters(command);
  const passed = command.params.map((spec, index) => argument(spec, names[index]));
  const result = command.result === "void" ? "" : "const $r = ";
  const returned = command.result === "void" ? "" : " return $r;";
  return `function ${command.name}(${names.join(", ")}) { ` +
    `${result}$call(${passed.join(", ")}, $offset); $rethrow();${returned} }`;
}

function argument(spec: Spec, name: string): string {
  if (spec.stars > 0 || spec.dims.length > 0) return name;
  const kind = kindOf(spec.type);
  if (kind === "u32" || kind === "bool") return `${name} >>> 0`;
  return kind === "i32" ? `${name} | 0` : name;
}
