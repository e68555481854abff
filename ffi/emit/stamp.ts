import type { StampSpec } from "./emitter.ts";

/** Whether a terminator's command counts through the pointer before its list; drivers do not expect NULL there. */
export function isCounted({ kind }: StampSpec): boolean {
  return kind === "array" || kind === "groups";
}

/** What tells one terminator from all others. */
export function stampKey({ name, kind, argument, result, hiddenOffset }: StampSpec): string {
  return [name, kind, argument, result, hiddenOffset].join();
}
