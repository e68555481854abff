import { ERROR_CODES } from "../../gen/error_codes_gen.js";
import { findCommand } from "./table.ts";

/**
 * Returns the results other than VK_SUCCESS that the registry allows for a
 * command, errors first; none for a command without a VkResult.
 */
export function resultCodes(command: string): number[] {
  return [...errorCodes(command), ...findCommand(command)?.codes ?? []];
}

/** A name is between blanks, on the line that begins with its codes. */
function errorCodes(command: string): number[] {
  const found = ERROR_CODES.indexOf(` ${command} `);
  if (found < 0) return [];
  const line = ERROR_CODES.lastIndexOf("\n", found) + 1;
  return ERROR_CODES.slice(line, ERROR_CODES.indexOf(" ", line)).split("|").map(Number);
}

let failing: ReadonlySet<string> | undefined;

/** Whether the registry allows a command to return an error. */
export function canFail(command: string): boolean {
  return (failing ??= new Set(ERROR_CODES.split(" "))).has(command);
}
