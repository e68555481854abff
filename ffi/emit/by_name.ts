import type { ByNameSpec } from "./emitter.ts";
import { VK_INCOMPLETE, writeCopy } from "./lists.ts";
import { LIST } from "./vulkan_layout.ts";
import type { Routine, Variable } from "./routine.ts";

/**
 * Writes `listOfObject` and `listOfName`. Both list something of what a name
 * says, or of no name, which may be NULL or "": then another function is called, with NULL.
 * And `listAlone`, which copies a list made beforehand.
 */
export function writeByName(routine: Routine, { inTable, slots, list }: ByNameSpec): void {
  writeListAlone(routine, list);
  writeList(routine, "listOfObject", 4, inTable, (at) => routine.load(at, 0));
  writeList(routine, "listOfName", 3, { named: 0, unnamed: 8 }, (at) => routine.slotAddress(at, slots));
}

/** `VkResult list(object, uint32_t *count, element *out)`; without anything to count in, nothing is whole. */
function writeListAlone(routine: Routine, { offset, stride }: ByNameSpec["list"]): void {
  const object: Variable = 0, count: Variable = 1, out: Variable = 2, list: Variable = 3, value: Variable = 4;
  const nowhere = routine.label();
  routine.begin("listAlone", 1);
  [object, count, out].forEach((variable, index) => routine.argument(variable, index));
  routine.ifZero(count, nowhere);
  routine.load(list, object);
  routine.load(list, list, offset);
  routine.load(value, list, LIST.count);
  writeCopy(routine, { stride, from: 0 });
  routine.place(nowhere);
  routine.finish(VK_INCOMPLETE);
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
