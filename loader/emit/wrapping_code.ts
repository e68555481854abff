import type { Label } from "../../ffi/asm/code.ts";
import { ENTRY_SIZE } from "../../ffi/emit/layout.ts";
import type { Routine, Variable } from "../../ffi/emit/routine.ts";
import { BEHIND_FUNCTIONS, GROUP, MEMBER, PHYSICAL_DEVICE, WRAPPER, WRAPPING } from "./layout.ts";
import {
  offsetsOfVkDebugUtilsObjectNameInfoEXT,
  VK_ERROR_INITIALIZATION_FAILED,
  VK_ERROR_OUT_OF_HOST_MEMORY,
  VK_SUCCESS,
} from "../gen/native_gen.ts";

/** Functions for an instance whose physical devices are wrapped. */
export interface WrappingSpec {
  /** The number of commands of a wrapping. Their functions are {@linkcode ENTRY_SIZE} apart. */
  readonly count: number;
  /** The number of those for commands outside the registry: the last ones. */
  readonly unknown: number;
  /** Byte offsets, in the dispatch table of an instance and of a device, of the wrapping's address. */
  readonly inTable: { readonly instance: number; readonly device: number };
  /** The commands that list devices, and groups of them: the names, and the slots among the functions. */
  readonly devices: { readonly name: string; readonly slot: number };
  readonly groups: readonly { readonly name: string; readonly slot: number }[];
  /**
   * Commands on devices that name an object: bytes of their struct, and the
   * offset of the command itself in the device's table.
   */
  readonly naming: readonly { readonly name: string; readonly size: number; readonly hiddenOffset: number }[];
}

/** VK_OBJECT_TYPE_PHYSICAL_DEVICE and VK_DEBUG_REPORT_OBJECT_TYPE_PHYSICAL_DEVICE_EXT. */
const OF_PHYSICAL_DEVICE = 2;
/** Structs that name or tag an object begin alike. */
const OBJECT = offsetsOfVkDebugUtilsObjectNameInfoEXT;

/**
 * Writes the functions that give callers wrappers of physical devices, and that
 * find the physical devices of wrappers: `listDevices`, `listGroups`,
 * `findUnknown`, and a function for each command that names an object. Any
 * number of threads may call all of them.
 */
export function writeWrapping(routine: Routine, spec: WrappingSpec): void {
  const wrapAll = writeWrapAll(routine, writeWrap(routine, behindFunctions(spec)));
  writeListDevices(routine, spec, wrapAll);
  for (const { name, slot } of spec.groups) writeListGroups(routine, name, slot, spec, wrapAll);
  writeFindUnknown(routine, spec);
  for (const naming of spec.naming) writeNaming(routine, naming, spec);
}

/** Byte offset, in a wrapping, of the data behind its functions. */
function behindFunctions({ count }: WrappingSpec): number {
  return MEMBER.functions + 8 * count;
}

/**
 * `void *wrap(wrapping, handle)`: returns the only wrapper of a handle, made if
 * there is none yet; NULL if there is no memory.
 */
function writeWrap(routine: Routine, behind: number): Label {
  const wrapping: Variable = 0, handle: Variable = 1, each: Variable = 2, value: Variable = 3, first: Variable = 4;
  const made = 0, found = routine.label(), absent = routine.label(), ready = routine.label(), none = routine.label();
  const entry = routine.begin("wrap", 1);
  routine.argument(wrapping, 0);
  routine.argument(handle, 1);
  routine.set(value, 0);
  routine.storeCell(made, value);
  const again = routine.here();
  routine.load(first, wrapping, WRAPPING.first);
  routine.copy(each, first);
  const next = routine.here();
  routine.ifZero(each, absent);
  routine.load(value, each, PHYSICAL_DEVICE.handle);
  routine.ifEqual(value, handle, found);
  routine.load(each, each, WRAPPER.next);
  routine.jump(next);
  routine.place(absent);
  routine.loadCell(each, made);
  routine.ifNotZero(each, ready);
  writeMake(routine, behind, none);
  routine.storeCell(made, each);
  routine.place(ready);
  routine.store(each, WRAPPER.next, first);
  routine.exchange(wrapping, first, each, again); // another thread has added a wrapper, possibly of this handle
  routine.finish({ variable: each });
  routine.place(found);
  routine.loadCell(value, made); // NULL, or a wrapper that another thread was faster to add
  routine.pass(0, value);
  routine.callAt(wrapping, behind + BEHIND_FUNCTIONS.free);
  routine.place(none);
  routine.finish({ variable: each });
  return entry;
}

/**
 * Makes a wrapper of the handle in variable 1 and leaves it in 2. Continues at
 * `none` with NULL if there is no memory.
 */
function writeMake(routine: Routine, behind: number, none: Label): void {
  const wrapping: Variable = 0, handle: Variable = 1, each: Variable = 2, value: Variable = 3;
  routine.passNumber(0, 1);
  routine.passNumber(1, WRAPPER.size);
  routine.callAt(wrapping, behind + BEHIND_FUNCTIONS.calloc);
  routine.wideResult(each);
  routine.ifZero(each, none);
  routine.load(value, wrapping, WRAPPING.key);
  routine.store(each, 0, value);
  routine.store(each, PHYSICAL_DEVICE.table, wrapping);
  routine.store(each, PHYSICAL_DEVICE.handle, handle);
}

/** `VkResult wrapAll(wrapping, handles, count)`: replaces handles by wrappers. */
function writeWrapAll(routine: Routine, wrap: Label): Label {
  const wrapping: Variable = 0, at: Variable = 1, left: Variable = 2, handle: Variable = 3;
  const done = routine.label(), skip = routine.label(), noMemory = routine.label();
  const entry = routine.begin("wrapAll");
  ([wrapping, at, left] as const).forEach((variable, index) => routine.argument(variable, index));
  const next = routine.here();
  routine.ifZero(left, done);
  routine.load(handle, at);
  routine.ifZero(handle, skip);
  routine.pass(0, wrapping);
  routine.pass(1, handle);
  routine.call(wrap);
  routine.wideResult(handle);
  routine.ifZero(handle, noMemory);
  routine.store(at, 0, handle);
  routine.place(skip);
  routine.add(at, 8);
  routine.decrement(left);
  routine.jump(next);
  routine.place(done);
  routine.finish(VK_SUCCESS);
  routine.place(noMemory);
  routine.finish(VK_ERROR_OUT_OF_HOST_MEMORY);
  return entry;
}

/** Variables that the lists share: the number of handles left to wrap, their address, the wrapping, and the result. */
const LEFT: Variable = 0, OUT: Variable = 2, HOLDER: Variable = 3, RESULT: Variable = 4;
/** Cells of the lists: the caller's room, later the number of handles left; the result. */
const ROOM = 0, ANSWER = 1;

/**
 * Begins `VkResult list(instance, uint32_t *count, element *out)`: calls the
 * chain's own command. Goes to `done` if nothing was listed; RESULT is then its
 * result. Otherwise LEFT elements at OUT are left to wrap.
 */
function writeAsk(routine: Routine, name: string, slot: number, spec: WrappingSpec, done: Label): void {
  const instance: Variable = 0, count: Variable = 1, value = RESULT;
  const counted = routine.label(), listed = routine.label();
  routine.begin(name, 2);
  ([instance, count, OUT] as const).forEach((variable, index) => routine.argument(variable, index));
  routine.ifNotZero(count, counted);
  routine.finish(VK_ERROR_INITIALIZATION_FAILED);
  routine.place(counted);
  routine.load32(value, count);
  routine.storeCell(ROOM, value);
  routine.load(HOLDER, instance);
  routine.load(HOLDER, HOLDER, spec.inTable.instance);
  ([instance, count, OUT] as const).forEach((variable, index) => routine.pass(index, variable));
  routine.callAt(HOLDER, MEMBER.functions + 8 * slot);
  routine.result(value);
  routine.storeCell(ANSWER, value);
  routine.ifNegative32(value, done);
  routine.ifZero(OUT, done);
  routine.load32(LEFT, count);
  routine.loadCell(count, ROOM);
  routine.ifBelow(LEFT, count, listed);
  routine.copy(LEFT, count); // a layer may report more elements than there was room for
  routine.place(listed);
}

function writeListDevices(routine: Routine, spec: WrappingSpec, wrapAll: Label): void {
  const done = routine.label(), failed = routine.label();
  writeAsk(routine, spec.devices.name, spec.devices.slot, spec, done);
  routine.pass(0, HOLDER);
  routine.pass(1, OUT);
  routine.pass(2, LEFT);
  routine.call(wrapAll);
  routine.result(RESULT);
  routine.ifNegative32(RESULT, failed);
  routine.loadCell(RESULT, ANSWER);
  routine.place(failed);
  routine.place(done);
  routine.finish({ variable: RESULT });
}

function writeListGroups(routine: Routine, name: string, slot: number, spec: WrappingSpec, wrapAll: Label): void {
  const at: Variable = 1, done = routine.label(), whole = routine.label(), fits = routine.label();
  writeAsk(routine, name, slot, spec, done);
  const next = routine.here();
  routine.ifZero(LEFT, whole);
  routine.storeCell(ROOM, LEFT);
  routine.load32(LEFT, OUT, GROUP.count);
  routine.set(RESULT, GROUP.most);
  routine.ifBelow(LEFT, RESULT, fits);
  routine.copy(LEFT, RESULT);
  routine.place(fits);
  routine.copy(at, OUT);
  routine.add(at, GROUP.handles);
  routine.pass(0, HOLDER);
  routine.pass(1, at);
  routine.pass(2, LEFT);
  routine.call(wrapAll);
  routine.result(RESULT);
  routine.ifNegative32(RESULT, done);
  routine.add(OUT, GROUP.size);
  routine.loadCell(LEFT, ROOM);
  routine.decrement(LEFT);
  routine.jump(next);
  routine.place(whole);
  routine.loadCell(RESULT, ANSWER);
  routine.place(done);
  routine.finish({ variable: RESULT });
}

/**
 * `void *findUnknown(instance, name)`, a vkGetInstanceProcAddr for commands
 * outside the registry. A command on physical devices gets a function of ours,
 * always the same, as long as there are some.
 */
function writeFindUnknown(routine: Routine, spec: WrappingSpec): void {
  const { inTable, unknown, count } = spec, behind = behindFunctions(spec);
  const instance: Variable = 0, name: Variable = 1, place: Variable = 2, found: Variable = 3, value: Variable = 4;
  const CODE = 0, LEFT_OVER = 1, other = routine.label(), same = routine.label(), none = routine.label();
  routine.begin("findUnknown", 2);
  routine.argument(instance, 0);
  routine.argument(name, 1);
  routine.load(place, instance);
  routine.load(place, place, inTable.instance);
  routine.load(value, place, behind + BEHIND_FUNCTIONS.lookup);
  routine.ifZero(value, other);
  routine.pass(0, instance);
  routine.pass(1, name);
  routine.callAt(place, behind + BEHIND_FUNCTIONS.lookup);
  routine.wideResult(found);
  routine.ifZero(found, other);
  routine.load(value, place, behind + BEHIND_FUNCTIONS.code);
  routine.add(value, ENTRY_SIZE * (count - unknown));
  routine.storeCell(CODE, value);
  routine.add(place, MEMBER.functions + 8 * (count - unknown));
  routine.set(instance, unknown);
  const next = routine.here(), again = routine.here();
  routine.storeCell(LEFT_OVER, instance);
  routine.load(value, place);
  routine.ifEqual(value, found, same);
  const taken = routine.label();
  routine.ifNotZero(value, taken);
  routine.exchange(place, value, found, again); // another thread was first: examine its entry
  routine.jump(same);
  routine.place(taken);
  routine.add(place, 8);
  routine.loadCell(value, CODE);
  routine.add(value, ENTRY_SIZE);
  routine.storeCell(CODE, value);
  routine.decrement(instance);
  routine.ifNotZero(instance, next);
  routine.jump(none);
  routine.place(same);
  routine.loadCell(value, CODE);
  routine.finish({ variable: value });
  routine.place(other);
  routine.pass(0, instance);
  routine.pass(1, name);
  routine.callAt(place, behind + BEHIND_FUNCTIONS.getInstanceProcAddr);
  routine.wideResult(value);
  routine.finish({ variable: value });
  routine.place(none);
  routine.finish(0);
}

/**
 * `VkResult name(device, const void *info)`: replaces a wrapper in the struct
 * by its physical device, and calls the command.
 */
function writeNaming(
  routine: Routine,
  { name, size, hiddenOffset }: WrappingSpec["naming"][number],
  spec: WrappingSpec,
) {
  const device: Variable = 0, info: Variable = 1, each: Variable = 2, handle: Variable = 3, value: Variable = 4;
  const go = routine.label(), found = routine.label();
  routine.begin(name, size / 8);
  routine.argument(device, 0);
  routine.argument(info, 1);
  routine.load32(value, info, OBJECT.objectType);
  routine.set(handle, OF_PHYSICAL_DEVICE);
  routine.ifNotEqual(value, handle, go);
  routine.load(handle, info, OBJECT.objectHandle);
  routine.load(each, device);
  routine.load(each, each, spec.inTable.device);
  routine.load(each, each, WRAPPING.first);
  const next = routine.here();
  routine.ifZero(each, go);
  routine.ifEqual(each, handle, found);
  routine.load(each, each, WRAPPER.next);
  routine.jump(next);
  routine.place(found);
  for (let at = 0; at < size; at += 8) {
    routine.load(value, info, at);
    routine.storeCell(at / 8, value);
  }
  routine.load(value, each, PHYSICAL_DEVICE.handle);
  routine.storeCell(OBJECT.objectHandle / 8, value);
  routine.cellAddress(info, 0);
  routine.place(go);
  routine.load(value, device);
  routine.pass(0, device);
  routine.pass(1, info);
  routine.callAt(value, hiddenOffset);
  routine.result(value);
  routine.finish({ variable: value });
}
