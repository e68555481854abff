import { eachMember } from "./each_member.ts";
import type { Label } from "../../../ffi/asm/code.ts";
import type { MembersSpec } from "./spec.ts";
import type { Routine, Variable } from "../../../ffi/emit/routine.ts";
import { MEMBER } from "../layout.ts";

/**
 * Writes `unknownOfOne`, `void *(instance, const char *name)`: returns the
 * device command outside the registry that only one member knows. Returns NULL
 * if several members know it, because only TypeScript can make a function that
 * tells their devices apart, and for commands on physical devices, which take
 * handles of ours.
 */
export function writeUnknownOfOne(routine: Routine, { size, getInstanceProcAddr }: MembersSpec["table"]): void {
  const table: Variable = 0, name: Variable = 1, own: Variable = 2, found: Variable = 3, left: Variable = 4, KEPT = 0;
  const none = routine.label();
  const ask = (offset: number, without: Label) => {
    routine.load(found, table, offset);
    routine.ifZero(found, without);
    routine.load(own, table, MEMBER.instance);
    routine.pass(0, own);
    routine.pass(1, name);
    routine.callAt(table, offset);
    routine.wideResult(found);
  };
  routine.begin("unknownOfOne", 1);
  routine.argument(table, 0);
  routine.argument(name, 1);
  routine.set(found, 0);
  routine.storeCell(KEPT, found);
  eachMember(routine, { table, left, size }, (next) => {
    const ofDevices = routine.label();
    ask(MEMBER.physicalDeviceProcAddr, ofDevices);
    routine.ifNotZero(found, none);
    routine.place(ofDevices);
    ask(getInstanceProcAddr, next);
    routine.ifZero(found, next);
    routine.loadCell(own, KEPT);
    routine.ifNotZero(own, none);
    routine.storeCell(KEPT, found);
  });
  routine.loadCell(found, KEPT);
  routine.finish({ variable: found });
  routine.place(none);
  routine.finish(0);
}
