import type { TwinStrictness } from "../../loader/twin/answers.ts";

/** The beginning of a layer's name that stands for a twin. */
export const TWIN = "twin:";

/** Whether a layer is the name of a twin. */
export function isTwin(layer: unknown): layer is string {
  return typeof layer === "string" && layer.startsWith(TWIN);
}

/** Returns the name of the layer that is the twin of an option's value: a source, perhaps with a strictness before. */
export function twinName(value: string): string {
  return TWIN + value;
}

/** Splits `[STRICTNESS:]SOURCE`. */
export function twinParts(value: string): { strictness?: TwinStrictness; source: string } {
  const [, strictness, source] = /^(?:(exact|used|common):)?(.*)$/s.exec(value)!;
  return { strictness: strictness as TwinStrictness | undefined, source };
}

/** Joins what {@linkcode twinParts} splits. */
export function twinText({ strictness, source }: ReturnType<typeof twinParts>): string {
  return strictness === undefined ? source : `${strictness}:${source}`;
}
