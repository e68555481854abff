import type { ByNameSpec } from "./emitter.ts";
import { VK_INCOMPLETE, writeCopy } from "./lists.ts";
import { LIST } from "./vulkan_layout.ts";
import type { Routine, Variable } from "./routine.ts";

/**
 * Writes `listOfObject`, which lists something of what a name says, or of no
 * name, which may be NULL or "": then another function is called, with NULL.
 * And `listAlone`, which copies a list made beforehand.
 */
export function writeByName(routine: Routine, { inTable, list }: ByNameSpec): void {
  writeListAlone(routine, list);
  writeListOfObject(routine, inTable);
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

/** `VkResult listOfObject(object, const char *name, uint32_t *count, element *out)` */
function writeListOfObject(routine: Routine, { named, unnamed }: ByNameSpec["inTable"]): void {
  const name: Variable = 1, all = [0, 1, 2, 3] as const, at: Variable = 4, without = routine.label();
  routine.begin("listOfObject");
  for (const variable of all) routine.argument(variable, variable);
  routine.ifZero(name, without);
  routine.load8(at, name);
  routine.ifZero(at, without);
  writeGoOn(routine, named);
  routine.place(without);
  routine.set(name, 0);
  writeGoOn(routine, unnamed);
}

/** Calls what the table of the object in variable 0 has at an offset, with all four variables, and returns. */
function writeGoOn(routine: Routine, offset: number): void {
  const object: Variable = 0, at: Variable = 4;
  routine.load(at, object);
  for (const variable of [0, 1, 2, 3] as const) routine.pass(variable, variable);
  routine.callAt(at, offset);
  routine.result(at);
  routine.finish({ variable: at });
}
