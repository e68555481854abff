import type { CardOptions } from "../../hwc/mod.ts";
import { WrongUse } from "./exit_code.ts";

/** The word for the first card that can set modes. */
export const FIRST_CARD = "first";

/** Reads which card an option names: a path, a kernel driver, or `first`. Throws {@linkcode WrongUse} for an empty one. */
export function cardOf(option: string, text: string): CardOptions {
  if (text === "") throw new WrongUse(`${option} is empty: give a card's path, its kernel driver, or ${FIRST_CARD}`);
  if (text === FIRST_CARD) return {};
  return text.includes("/") ? { path: text } : { driver: text };
}

/** Reads a composer's name that stands for a card: `kms`, or `kms:` and which; `undefined` for other composers. */
export function kmsCard(option: string, name: string): CardOptions | undefined {
  const [, which] = /^kms(?::(.*))?$/s.exec(name) ?? [name.startsWith("kms:") ? "" : undefined];
  if (name === "kms") return {};
  return which === undefined ? undefined : cardOf(option, which);
}
