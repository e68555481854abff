import { ERROR_CODES } from "../../gen/error_codes_gen.js";
import { findCommand } from "./table.ts";

/** The results other than VK_SUCCESS that a command may return by the registry, errors first; none for one that returns no VkResult. */
export function resultCodes(command: string): number[] {
  return [...errorCodes(command), ...findCommand(command)?.codes ?? []];
}

/** A name stands between blanks, on the line that begins with its codes. */
function errorCodes(command: string): number[] {
  const found = ERROR_CODES.indexOf(` ${command} `);
  if (found < 0) return [];
  const line = ERROR_CODES.lastIndexOf("\n", found) + 1;
  return ERROR_CODES.slice(line, ERROR_CODES.indexOf(" ", line)).split("|").map(Number);
}

let failing: ReadonlySet<string> | undefined;

/** Whether a command can return an error by the registry. */
export function canFail(command: string): boolean {
  return (failing ??= new Set(ERROR_CODES.split(" "))).has(command);
}
