import type { ByNameSpec } from "./emitter.ts";
import { writeGroupEach } from "./group_each.ts";
import { VK_INCOMPLETE, VK_SUCCESS, writeCopy } from "./lists.ts";
import { LIST } from "./vulkan_layout.ts";
import type { Routine, Variable } from "./routine.ts";

/**
 * Writes `listOfObject` and `listBelow`, which list something of what a name says, or of no
 * name, which may be NULL or "": then another function is called, with NULL.
 * And `listAlone`, which copies a list made beforehand, `listNothing`, and `groupEach`.
 */
export function writeByName(routine: Routine, { inTable, below, list, listDevices }: ByNameSpec): void {
  writeGroupEach(routine, { listDevices });
  writeListAlone(routine, list);
  writeListNothing(routine);
  writeListOfObject(routine, "listOfObject", inTable);
  writeListOfObject(routine, "listBelow", below);
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

/** `VkResult list(object, const char *name, uint32_t *count, element *out)`, of a name with nothing to list. */
function writeListNothing(routine: Routine): void {
  const count: Variable = 0, value: Variable = 1, nowhere = routine.label();
  routine.begin("listNothing");
  routine.argument(count, 2);
  routine.ifZero(count, nowhere);
  routine.set(value, 0);
  routine.store32(count, 0, value);
  routine.finish(VK_SUCCESS);
  routine.place(nowhere);
  routine.finish(VK_INCOMPLETE);
}

/** `VkResult list(object, const char *name, uint32_t *count, element *out)` */
function writeListOfObject(routine: Routine, symbol: string, { named, unnamed }: ByNameSpec["inTable"]): void {
  const name: Variable = 1, all = [0, 1, 2, 3] as const, at: Variable = 4, without = routine.label();
  routine.begin(symbol);
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
