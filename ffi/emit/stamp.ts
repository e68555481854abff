import type { StampSpec } from "./emitter.ts";

/** Whether a terminator's command has a pointer to a count before its list, for which drivers do not expect NULL. */
export function isCounted({ kind }: StampSpec): boolean {
  return kind === "array" || kind === "groups";
}

/** Returns a text that tells a terminator from all others. */
export function stampKey({ name, kind, argument, result, hiddenOffset }: StampSpec): string {
  return [name, kind, argument, result, hiddenOffset].join();
}
