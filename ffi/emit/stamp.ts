import type { StampSpec } from "./emitter.ts";

/** Whether a terminator's command has a pointer to a count before its list, for which drivers do not expect NULL. */
export function isCounted({ handles }: StampSpec): boolean {
  return handles === "array" || handles === "groups";
}

/** Returns a text that tells a terminator from all others. */
export function stampKey({ name, handles, argument, result, hiddenOffset }: StampSpec): string {
  return [name, handles, argument, result, hiddenOffset].join();
}
