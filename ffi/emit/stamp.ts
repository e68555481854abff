import type { StampSpec } from "./emitter.ts";

/** VK_ERROR_INITIALIZATION_FAILED (-3) as 32 bits: what a list without a count gets, as with the Khronos loader. */
export const INITIALIZATION_FAILED = 0xffff_fffd;

/** Whether a terminator's command counts through the pointer before its list; drivers do not expect NULL there. */
export function isCounted({ kind }: StampSpec): boolean {
  return kind === "array" || kind === "groups";
}

/** What tells one terminator from all others. */
export function stampKey({ name, kind, argument, result, hiddenOffset }: StampSpec): string {
  return [name, kind, argument, result, hiddenOffset].join();
}
