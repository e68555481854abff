import type { Label } from "../../../ffi/asm/code.ts";
import type { MembersSpec } from "./spec.ts";
import { eachMember } from "./lists.ts";
import type { Routine, Variable } from "../../../ffi/emit/routine.ts";
import { writeFree } from "../farewell.ts";
import { INSTANCE, MEMBER, SURFACE, SURFACE_RECORD } from "../layout.ts";
import { offsetsOfVkAllocationCallbacks } from "../../gen/native_gen.ts";

/**
 * Writes `destroyInstance` and `destroySurface`, which destroy our objects in
 * all members. The caller may be on any thread. The members' objects are
 * destroyed with the given allocator before the function returns, and memory
 * from an allocator is freed. The loader's own memory stays, and notes the
 * destruction.
 */
export function writeDestroyers(routine: Routine, table: MembersSpec["table"]): void {
  writeDestroyInstance(routine, table, writeDestroySurface(routine, table));
}

/** `void destroySurface(instance, surface, allocator)`; NULL is no surface. */
function writeDestroySurface(routine: Routine, { size, destroySurface }: MembersSpec["table"]): Label {
  const instance: Variable = 0, surface: Variable = 1, own: Variable = 2, at: Variable = 3, left: Variable = 4;
  const allocator = 0, none = routine.label(), given = routine.label();
  const entry = routine.begin("destroySurface", 1);
  routine.argument(instance, 0);
  routine.argument(surface, 1);
  routine.argument(own, 2);
  routine.ifZero(surface, none);
  routine.storeCell(allocator, own);
  eachMember(routine, { table: instance, left, size }, (next) => {
    routine.load(at, instance, MEMBER.surface);
    routine.addVariable(at, surface);
    routine.load(own, at);
    routine.ifZero(own, next);
    routine.ifEqual(own, surface, next); // of an old interface: the driver uses our surface as its own
    routine.pass(1, own);
    routine.set(own, 0);
    routine.store(at, 0, own);
    routine.load(own, instance, destroySurface);
    routine.ifZero(own, next);
    routine.load(own, instance, MEMBER.instance);
    routine.pass(0, own);
    routine.loadCell(own, allocator);
    routine.pass(2, own);
    routine.callAt(instance, destroySurface);
  });
  routine.load(left, surface, SURFACE.allocator + offsetsOfVkAllocationCallbacks.pfnFree);
  routine.load(at, surface, SURFACE.record);
  routine.add(at, SURFACE_RECORD.surface);
  routine.set(own, 0);
  routine.publish(at, own); // from now on the loader's memory may be gone
  routine.ifZero(left, none);
  routine.loadCell(own, allocator);
  routine.ifNotZero(own, given);
  routine.copy(own, surface);
  routine.add(own, SURFACE.allocator);
  routine.place(given);
  writeFree(routine, own, surface, at);
  routine.place(none);
  routine.finish(0);
  return entry;
}

/**
 * Frees the memory of the instance in variable 0 from an allocator, with the
 * allocator in 1, or with the stored copy if that is NULL.
 */
function writeGiveBack(routine: Routine): void {
  const instance: Variable = 0, allocator: Variable = 1, next: Variable = 2, user: Variable = 3, taken: Variable = 4;
  const given = routine.label(), none = routine.label();
  routine.ifNotZero(allocator, given);
  routine.copy(allocator, instance);
  routine.add(allocator, INSTANCE.allocator);
  routine.place(given);
  routine.load(taken, instance, INSTANCE.memory);
  const again = routine.here();
  routine.ifZero(taken, none);
  routine.load(next, taken);
  writeFree(routine, allocator, taken, user);
  routine.copy(taken, next);
  routine.jump(again);
  routine.place(none);
}

/** `void destroyInstance(instance, allocator)`: surfaces that are left go first. */
function writeDestroyInstance(
  routine: Routine,
  { size, destroyInstance }: MembersSpec["table"],
  destroySurface: Label,
): void {
  const instance: Variable = 0, allocator: Variable = 1, table: Variable = 2, left: Variable = 3, own: Variable = 4;
  routine.begin("destroyInstance");
  routine.argument(instance, 0);
  routine.argument(allocator, 1);
  routine.load(own, instance, INSTANCE.surfaces);
  const again = routine.here(), none = routine.label();
  routine.ifZero(own, none);
  routine.load(table, own, SURFACE_RECORD.surface);
  [instance, table, allocator].forEach((variable, index) => routine.pass(index, variable));
  routine.call(destroySurface);
  routine.load(own, own, SURFACE_RECORD.next);
  routine.jump(again);
  routine.place(none);
  routine.copy(table, instance);
  eachMember(routine, { table, left, size }, (next) => {
    routine.load(own, table, destroyInstance);
    routine.ifZero(own, next);
    routine.load(own, table, MEMBER.instance);
    routine.pass(0, own);
    routine.pass(1, allocator);
    routine.callAt(table, destroyInstance);
  });
  writeGiveBack(routine);
  routine.set(own, 1);
  routine.add(instance, INSTANCE.gone);
  routine.publish(instance, own);
  routine.finish(0);
}
