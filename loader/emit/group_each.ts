import type { Label } from "../../ffi/asm/code.ts";
import type { Routine, Variable } from "../../ffi/emit/routine.ts";
import { GROUP } from "./layout.ts";

/**
 * Writes `VkResult groupEach(instance, uint32_t *count,
 * VkPhysicalDeviceGroupProperties *out)`: a group for each device that the
 * command at an offset of the instance's table lists. The devices are listed
 * into the last group that there is room for, because a group has room for as
 * many handles as groups are filled at once.
 */
export function writeGroupEach(routine: Routine, { listDevices }: { readonly listDevices: number }): void {
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
