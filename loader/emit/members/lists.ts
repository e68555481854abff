import type { Label } from "../../../ffi/asm/code.ts";
import type { Routine, Variable } from "../../../ffi/emit/routine.ts";
import { writeCopy } from "../by_name.ts";
import { GROUP, INSTANCE, LIST, LISTS, MEMBER, type NativeList, NOT_ASKED } from "../layout.ts";
import { CALLS, writeMultiply } from "./shared_swapchains.ts";
import type { MembersSpec } from "./spec.ts";
import {
  VK_ERROR_OUT_OF_HOST_MEMORY,
  VK_INCOMPLETE,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES,
  VK_SUCCESS,
} from "../../gen/native_gen.ts";

/** The most devices of one member that are compared. TypeScript asks a member with more devices each time. */
const MOST = 32;
/** Cells of {@linkcode writeCheck}: the count, the handles behind it, then saved variables. */
const COUNT = 0, HANDLES = 1, TABLE = HANDLES + MOST, LEFT = TABLE + 1, CELLS = LEFT + 1;

/**
 * Writes `listMembers` and `listGroups`. They ask every member again for its
 * devices, and `listGroups` also for its groups. If these are the known ones,
 * and the variables that decide about devices have their known values, the
 * prepared lists are copied; otherwise a command is called that makes new ones.
 */
export function writeLists(routine: Routine, spec: MembersSpec): void {
  const devices = [writeVariables(routine, spec), writeCheck(routine, spec.table)];
  const checks = { listMembers: devices, listGroups: [...devices, writeGroupCheck(routine, spec)] };
  for (const [name, list] of Object.entries(LISTS)) {
    writeList(routine, name, list, checks[name as keyof typeof checks]);
  }
}

/** `VkResult list(instance, uint32_t *count, element *out)` */
function writeList(
  routine: Routine,
  name: string,
  { list: at, changed, next, isTrimmed = false, ...element }: NativeList,
  checks: readonly Label[],
): void {
  const instance: Variable = 0, count: Variable = 1, out: Variable = 2, list: Variable = 3, value: Variable = 4;
  const error = routine.label(), anew = routine.label();
  routine.begin(name, 1);
  [instance, count, out].forEach((variable, index) => routine.argument(variable, index));
  routine.ifZero(count, anew); // the command reports NULL
  if (next !== undefined) writeFindChained(routine, { next, stride: element.stride }, anew);
  for (const check of checks) {
    routine.pass(0, instance);
    routine.call(check);
    routine.result(value);
    routine.ifNegative32(value, error);
    routine.ifNotZero(value, anew);
  }
  routine.load(list, instance, at);
  routine.load32(value, list, LIST.result);
  routine.ifNegative32(value, isTrimmed ? error : anew); // a count of groups may succeed where filling fails
  routine.load(value, list, LIST.count);
  if (isTrimmed) writeTrimmed(routine);
  writeCopy(routine, element);
  routine.place(anew);
  [instance, count, out].forEach((variable, index) => routine.pass(index, variable));
  routine.callAt(instance, changed);
  routine.result(value);
  routine.place(error);
  routine.finish({ variable: value });
}

/**
 * Notes in the instance, 0, how many of the 4 devices of a list, 3, do not fit
 * in the room that a caller has. 1 points to the room, 2 is NULL for no array.
 */
function writeTrimmed(routine: Routine): void {
  const instance: Variable = 0, count: Variable = 1, out: Variable = 2, list: Variable = 3, found: Variable = 4;
  const whole = routine.label();
  routine.ifZero(out, whole);
  routine.load32(list, count);
  const trimmed = routine.label();
  routine.ifBelow(list, found, trimmed);
  routine.jump(whole);
  routine.place(trimmed);
  routine.store32(instance, INSTANCE.trimmed, found);
  routine.store32(instance, INSTANCE.trimmed + 4, list);
  routine.place(whole);
  routine.load(list, instance, INSTANCE.list);
}

/**
 * `VkResult check(instance)`: 0 if the variables that decide about devices have
 * the values that they had when the lists were made, VK_INCOMPLETE if not.
 */
function writeVariables(routine: Routine, { variables, calls }: MembersSpec): Label {
  const names: Variable = 0, values: Variable = 1, now: Variable = 2, before: Variable = 3, functions: Variable = 4;
  const next = routine.label(), same = routine.label(), changed = routine.label();
  const entry = routine.begin("checkVariables");
  routine.argument(values, 0);
  routine.load(values, values, INSTANCE.variables);
  routine.loadSlot(names, variables);
  routine.loadSlot(functions, calls);
  const again = routine.here();
  routine.load(now, names);
  routine.ifZero(now, same);
  routine.pass(0, now);
  routine.callAt(functions, CALLS.getenv);
  routine.wideResult(now);
  routine.load(before, values);
  routine.ifEqual(now, before, next);
  routine.ifZero(now, changed);
  routine.ifZero(before, changed);
  routine.pass(0, now);
  routine.pass(1, before);
  routine.callAt(functions, CALLS.strcmp);
  routine.result(now);
  routine.ifNotZero(now, changed);
  routine.place(next);
  routine.add(names, 8);
  routine.add(values, 8);
  routine.jump(again);
  routine.place(same);
  routine.finish(VK_SUCCESS);
  routine.place(changed);
  routine.finish(VK_INCOMPLETE);
  return entry;
}

/**
 * `VkResult check(instance)`: 0 if all members list the same groups as before,
 * byte for byte, VK_INCOMPLETE if not, if one fails or if memory is short.
 */
function writeGroupCheck(routine: Routine, { calls, table: { size, listGroups } }: MembersSpec): Label {
  const COUNT = 0, LEFT = 1, KNOWN = 2, LISTED = 3;
  const table: Variable = 0, left: Variable = 1, known: Variable = 2, count: Variable = 3, value: Variable = 4;
  const changed = routine.label(), freed = routine.label(), entry = routine.begin("checkGroups", 4);
  const list = (out: () => void, otherwise: Label) => {
    routine.load(value, table, MEMBER.instance);
    routine.pass(0, value);
    routine.passCell(1, COUNT);
    out();
    routine.callAt(table, listGroups);
    routine.result(value);
    routine.ifNotZero(value, otherwise);
    routine.loadCell(value, COUNT);
    routine.ifNotEqual(value, count, otherwise);
  };
  const call = (name: keyof typeof CALLS) => {
    routine.loadSlot(value, calls);
    routine.callAt(value, CALLS[name]);
  };
  routine.argument(table, 0);
  routine.load(known, table, INSTANCE.ownGroups);
  eachMember(routine, { table, left, size }, (next) => {
    routine.load(count, known);
    routine.add(known, 8);
    routine.set(value, NOT_ASKED);
    routine.ifEqual(count, value, next);
    routine.set(value, 0);
    routine.storeCell(COUNT, value);
    list(() => routine.passNumber(2, 0), changed);
    routine.ifZero(count, next);
    routine.storeCell(LEFT, left);
    routine.storeCell(KNOWN, known);
    routine.pass(0, count);
    routine.passNumber(1, GROUP.size);
    call("calloc");
    routine.wideResult(value);
    routine.ifZero(value, changed);
    routine.storeCell(LISTED, value);
    routine.copy(left, value);
    routine.copy(known, count);
    routine.set(value, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES);
    const typed = routine.here();
    routine.store32(left, 0, value);
    routine.add(left, GROUP.size);
    routine.decrement(known);
    routine.ifNotZero(known, typed);
    routine.loadCell(left, LISTED);
    list(() => routine.pass(2, left), freed);
    routine.loadCell(known, KNOWN);
    writeMultiply(routine, value, count, GROUP.size);
    routine.pass(0, left);
    routine.pass(1, known);
    routine.pass(2, value);
    routine.addVariable(known, value);
    call("memcmp");
    routine.result(count);
    routine.pass(0, left);
    call("free");
    routine.ifNotZero(count, changed);
    routine.loadCell(left, LEFT);
  });
  routine.finish(VK_SUCCESS);
  routine.place(freed);
  routine.pass(0, left);
  call("free");
  routine.place(changed);
  routine.finish(VK_INCOMPLETE);
  return entry;
}

/**
 * Goes to a label if the caller chained something to an element. 1 points to
 * the number of elements, 2 to the elements or is NULL. Needs one cell.
 */
function writeFindChained(routine: Routine, { next, stride }: { next: number; stride: number }, found: Label): void {
  const instance: Variable = 0, count: Variable = 1, out: Variable = 2, at: Variable = 3, left: Variable = 4;
  const none = routine.label(), chained = routine.label(), saved = 0;
  routine.ifZero(out, none);
  routine.storeCell(saved, instance);
  routine.load32(left, count);
  routine.copy(at, out);
  const again = routine.here(), end = routine.label();
  routine.ifZero(left, end);
  routine.load(instance, at, next);
  routine.ifNotZero(instance, chained);
  routine.add(at, stride);
  routine.decrement(left);
  routine.jump(again);
  routine.place(chained);
  routine.loadCell(instance, saved);
  routine.jump(found);
  routine.place(end);
  routine.loadCell(instance, saved);
  routine.place(none);
}

/**
 * `VkResult check(instance)`: 0 if all members list the same devices as before,
 * VK_INCOMPLETE if not, and an error if one is out of memory. A member that
 * fails in another way is ignored.
 */
function writeCheck(routine: Routine, { size, listDevices }: MembersSpec["table"]): Label {
  const table: Variable = 0, left: Variable = 1, known: Variable = 2, count: Variable = 3, value: Variable = 4;
  const changed = routine.label(), noMemory = routine.label(), entry = routine.begin("checkMembers", CELLS);
  routine.argument(table, 0);
  routine.load(known, table, INSTANCE.devices);
  eachMember(routine, { table, left, size }, (next) => {
    const skip = routine.label(), compare = routine.label();
    routine.load(count, known);
    routine.add(known, 8);
    routine.set(value, NOT_ASKED);
    routine.ifEqual(count, value, next);
    routine.set(value, MOST);
    routine.storeCell(COUNT, value);
    routine.load(value, table, MEMBER.instance);
    routine.pass(0, value);
    routine.passCell(1, COUNT);
    routine.passCell(2, HANDLES);
    routine.callAt(table, listDevices);
    routine.result(value);
    routine.ifZero(value, compare);
    routine.ifNegative32(value, skip);
    routine.jump(changed); // more devices than can be compared
    routine.place(compare);
    routine.loadCell(value, COUNT);
    routine.ifNotEqual(value, count, changed);
    writeCompare(routine, changed);
    routine.jump(next);
    routine.place(skip);
    routine.storeCell(LEFT, left);
    routine.set(left, VK_ERROR_OUT_OF_HOST_MEMORY);
    routine.ifEqual(value, left, noMemory);
    routine.loadCell(left, LEFT);
    const again = routine.here();
    routine.ifZero(count, next);
    routine.add(known, 8);
    routine.decrement(count);
    routine.jump(again);
  });
  routine.finish(VK_SUCCESS);
  routine.place(changed);
  routine.finish(VK_INCOMPLETE);
  routine.place(noMemory);
  routine.finish(VK_ERROR_OUT_OF_HOST_MEMORY);
  return entry;
}

/** Goes to `changed` unless the handles in the cells are the known ones. Afterwards 2 is behind these. */
function writeCompare(routine: Routine, changed: Label): void {
  const handle: Variable = 0, at: Variable = 1, known: Variable = 2, count: Variable = 3, value: Variable = 4;
  const same = routine.label();
  routine.storeCell(TABLE, handle);
  routine.storeCell(LEFT, at);
  routine.cellAddress(at, HANDLES);
  const again = routine.here();
  routine.ifZero(count, same);
  routine.load(value, at);
  routine.load(handle, known);
  routine.ifNotEqual(value, handle, changed);
  routine.add(at, 8);
  routine.add(known, 8);
  routine.decrement(count);
  routine.jump(again);
  routine.place(same);
  routine.loadCell(handle, TABLE);
  routine.loadCell(at, LEFT);
}

/** Writes code for each member's table of the instance that `table` holds at first. */
export function eachMember(
  routine: Routine,
  { table, left, size }: { readonly table: Variable; readonly left: Variable; readonly size: number },
  write: (next: Label) => void,
): void {
  routine.load(left, table, INSTANCE.count);
  routine.add(table, INSTANCE.tables);
  const again = routine.here(), next = routine.label(), done = routine.label();
  routine.ifZero(left, done);
  write(next);
  routine.place(next);
  routine.add(table, size);
  routine.decrement(left);
  routine.jump(again);
  routine.place(done);
}
