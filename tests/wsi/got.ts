/** The result of a function. Throws when it gave a status. */
export function got<Result>(result: Result | number): Exclude<Result, number> {
  if (typeof result === "number") throw new Error(`status ${result}`);
  return result as Exclude<Result, number>;
}
