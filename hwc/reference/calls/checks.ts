import { ERROR } from "../../types.ts";
import { refuse } from "../refusal.ts";

/** BAD_PARAMETER unless a value is one of some. */
export function checkOneOf(what: string, value: number, known: Readonly<Record<string, number>>, from = 0): void {
  const values = Object.values(known).filter((one) => one >= from);
  if (values.includes(value)) return;
  const names = Object.entries(known).filter(([, one]) => one >= from).map(([name, one]) => `${name} ${one}`);
  refuse(ERROR.BAD_PARAMETER, `${value} is no ${what}; give ${names.join(", ")}`);
}

/** BAD_PARAMETER unless there are sixteen numbers. */
export function checkMatrix(matrix: readonly number[]): void {
  if (matrix?.length === 16 && matrix.every(Number.isFinite)) return;
  refuse(ERROR.BAD_PARAMETER, "a colour transform has sixteen numbers, row by row");
}

/** Throws BAD_PARAMETER for a missing value. */
export function checkThere<Thing>(what: string, thing: Thing | null | undefined): Thing {
  if (thing === null || thing === undefined) refuse(ERROR.BAD_PARAMETER, `there is no ${what}; give one`);
  return thing;
}

/** UNSUPPORTED unless something can be done. */
export function checkCan(can: boolean, what: string): void {
  if (!can) refuse(ERROR.UNSUPPORTED, `this display cannot ${what}; ask for its capabilities first`);
}
