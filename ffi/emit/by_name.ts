import type { ByNameSpec } from "./emitter.ts";
import type { Routine, Variable } from "./routine.ts";

/**
 * Writes `listOfObject` and `listOfName`. Both list something of what a name
 * says, or of no name, which may be NULL or "": then another function is called, with NULL.
 */
export function writeByName(routine: Routine, { inTable, slots }: ByNameSpec): void {
  writeList(routine, "listOfObject", 4, inTable, (at) => routine.load(at, 0));
  writeList(routine, "listOfName", 3, { named: 0, unnamed: 8 }, (at) => routine.slotAddress(at, slots));
}

/** `VkResult list(…, const char *name, uint32_t *count, element *out)`; `find` finds where the two functions are. */
function writeList(
  routine: Routine,
  symbol: string,
  count: 3 | 4,
  { named, unnamed }: ByNameSpec["inTable"],
  find: (at: Variable) => void,
): void {
  const all = ([0, 1, 2, 3] as const).slice(0, count), name: Variable = count === 4 ? 1 : 0, at: Variable = 4;
  const without = routine.label();
  routine.begin(symbol);
  for (const variable of all) routine.argument(variable, variable);
  routine.ifZero(name, without);
  routine.load8(at, name);
  routine.ifZero(at, without);
  find(at);
  for (const variable of all) routine.pass(variable, variable);
  routine.callAt(at, named);
  routine.result(at);
  routine.finish({ variable: at });
  routine.place(without);
  find(at);
  for (const variable of all) routine.pass(variable, variable);
  routine.passNumber(name, 0);
  routine.callAt(at, unnamed);
  routine.result(at);
  routine.finish({ variable: at });
}
