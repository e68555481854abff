import type { Label } from "../../ffi/asm/code.ts";
import type { Routine, Variable } from "../../ffi/emit/routine.ts";
import { emitterForThisMachine, loadEmitted } from "../../ffi/image/image.ts";
import { VK_INCOMPLETE, VK_SUCCESS } from "../gen/native_gen.ts";
import { GROUP, LIST, type NativeList } from "./layout.ts";

/** Data of the functions that list something for a name, or for an object alone. */
interface ByNameSpec {
  /** Byte offsets, in an object's dispatch table, of the functions to call with a name, and without one. */
  readonly inTable: { readonly named: number; readonly unnamed: number };
  /** The same for callers below the functions of the table. */
  readonly below: { readonly named: number; readonly unnamed: number };
  /**
   * The list that another function copies for an object alone: byte offset of
   * its address in the dispatch table, and bytes of an element.
   */
  readonly list: { readonly offset: number; readonly stride: number };
  /** Byte offset, in an instance's dispatch table, of the driver's own vkEnumeratePhysicalDevices. */
  readonly listDevices: number;
}

/**
 * Machine-code functions that list something for a name, which may be NULL or
 * "" for no name. Native code may call them from any thread.
 */
export interface ByName {
  /**
   * Address of `VkResult (object, const char *name, uint32_t *count, element
   * *out)`. The function reads the object's dispatch table.
   */
  readonly ofObject: bigint;
  /**
   * Address of the same function for callers further down the chain, who find
   * other functions in the object's dispatch table.
   */
  readonly below: bigint;
  /** Address of a function with the same parameters, for names that have nothing to list. */
  readonly nothing: bigint;
  /**
   * Address of `VkResult (object, uint32_t *count, element *out)`, which copies
   * a list that the object's table points to.
   */
  readonly alone: bigint;
  /** Address of a vkEnumeratePhysicalDeviceGroups with a group for each device that the driver of an instance lists, 32 at most. */
  readonly groupEach: bigint;
}

/**
 * Emits all functions; returns `undefined` where emitted code cannot be used.
 * The functions stay for the life of the process.
 */
export function createByName(spec: ByNameSpec): ByName | undefined {
  const emitter = emitterForThisMachine();
  if (!emitter) return;
  writeByName(emitter.routine(), spec);
  const image = loadEmitted(emitter);
  if (!image) return;
  return {
    ofObject: image.address("listOfObject"),
    below: image.address("listBelow"),
    nothing: image.address("listNothing"),
    alone: image.address("listAlone"),
    groupEach: image.address("groupEach"),
  };
}

/**
 * Writes `listOfObject` and `listBelow`, which list something for a name. For
 * no name, NULL or "", they call another function with NULL. Also writes
 * `listAlone`, which copies a prepared list, `listNothing`, and `groupEach`.
 */
function writeByName(routine: Routine, { inTable, below, list, listDevices }: ByNameSpec): void {
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

/** Calls the function at an offset of the table of the object in variable 0, with all four variables, and returns. */
function writeGoOn(routine: Routine, offset: number): void {
  const object: Variable = 0, at: Variable = 4;
  routine.load(at, object);
  for (const variable of [0, 1, 2, 3] as const) routine.pass(variable, variable);
  routine.callAt(at, offset);
  routine.result(at);
  routine.finish({ variable: at });
}

/**
 * Writes `VkResult groupEach(instance, uint32_t *count,
 * VkPhysicalDeviceGroupProperties *out)`: a group for each device that the
 * command at an offset of the instance's table lists. The devices are listed
 * into the last group that there is room for, because a group has room for as
 * many handles as groups are filled at once.
 */
function writeGroupEach(routine: Routine, { listDevices }: { readonly listDevices: number }): void {
  const instance: Variable = 0, count: Variable = 1, out: Variable = 2, last: Variable = 3, value: Variable = 4;
  const RESULT = 0, INSTANCE = 1;
  const call = routine.label(), fill = routine.label(), few = routine.label(), over = routine.label();
  routine.begin("groupEach", 2);
  [instance, count, out].forEach((variable, index) => routine.argument(variable, index));
  routine.storeCell(INSTANCE, instance);
  routine.copy(last, out);
  routine.ifZero(out, call);
  routine.load32(value, count);
  routine.ifZero(value, call);
  routine.set(instance, GROUP.most);
  routine.ifBelow(value, instance, few);
  routine.copy(value, instance);
  routine.store32(count, 0, value);
  routine.place(few);
  const again = routine.here();
  routine.decrement(value);
  routine.ifZero(value, fill);
  routine.add(last, GROUP.size);
  routine.jump(again);
  routine.place(fill);
  routine.add(last, GROUP.handles);
  routine.place(call);
  routine.loadCell(instance, INSTANCE);
  [instance, count, last].forEach((variable, index) => routine.pass(index, variable));
  routine.load(value, instance);
  routine.callAt(value, listDevices);
  routine.result(value);
  routine.storeCell(RESULT, value);
  routine.ifNegative32(value, over);
  routine.ifZero(out, over);
  routine.load32(value, count);
  writeGroups(routine, over);
  routine.place(over);
  routine.loadCell(value, RESULT);
  routine.finish({ variable: value });
}

/**
 * Makes groups at 2 from the devices at 3, as many as 4 says, then continues.
 * The last handle is read before it is overwritten.
 */
function writeGroups(routine: Routine, over: Label): void {
  const number: Variable = 0, zero: Variable = 1, out: Variable = 2, from: Variable = 3, left: Variable = 4;
  const next = routine.here();
  routine.ifZero(left, over);
  routine.load(number, from);
  routine.store(out, GROUP.handles, number);
  routine.set(number, 1);
  routine.store32(out, GROUP.count, number);
  routine.set(zero, 0);
  routine.store32(out, GROUP.subset, zero);
  routine.add(out, GROUP.size);
  routine.add(from, 8);
  routine.decrement(left);
  routine.jump(next);
}

/**
 * Copies as much of the list in variable 3 as the caller has room for, and
 * returns. 4 is the number of its elements, 1 points to the caller's room, and
 * 2 to its memory or is NULL. Needs one cell.
 */
export function writeCopy(routine: Routine, { stride, from }: Pick<NativeList, "stride" | "from">): void {
  const left: Variable = 0, count: Variable = 1, out: Variable = 2, list: Variable = 3, value: Variable = 4;
  const countOnly = routine.label(),
    result = 0,
    ready = routine.label(),
    enough = routine.label(),
    done = routine.label();
  routine.ifZero(out, countOnly);
  routine.load32(left, count); // the caller's room
  routine.storeCell(result, left);
  routine.ifBelow(left, value, ready);
  routine.copy(left, value);
  routine.place(ready);
  routine.store32(count, 0, left);
  routine.loadCell(count, result);
  routine.ifBelow(count, value, enough);
  routine.set(value, VK_SUCCESS);
  routine.storeCell(result, value);
  const next = routine.here();
  routine.ifZero(left, done);
  for (let at = from; at < stride; at += 8) {
    routine.load(value, list, LIST.elements + at);
    routine.store(out, at, value);
  }
  routine.add(list, stride);
  routine.add(out, stride);
  routine.decrement(left);
  routine.jump(next);
  routine.place(enough);
  routine.set(value, VK_INCOMPLETE);
  routine.storeCell(result, value);
  routine.jump(next);
  routine.place(done);
  routine.loadCell(value, result);
  routine.finish({ variable: value });
  routine.place(countOnly);
  routine.store32(count, 0, value);
  routine.finish(VK_SUCCESS);
}
