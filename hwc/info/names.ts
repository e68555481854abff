import { HwcError } from "../hwc_error.ts";
import { ERROR } from "../types.ts";

/** The name of a value in one of the HAL's enums; the number itself where it has none. */
export function nameOf(names: Readonly<Record<string, number>>, value: number): string {
  return Object.entries(names).find(([, each]) => each === value)?.[0] ?? String(value);
}

/** Returns a composer's answer; `undefined` for an unsupported query. */
export async function ifSupported<T>(ask: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof HwcError && error.code === ERROR.UNSUPPORTED) return undefined;
    throw error;
  }
}
