import type { Label } from "../asm/code.ts";
import type { StampSpec } from "./emitter.ts";
import { isCounted } from "./layout.ts";
import type { Machine } from "./machine.ts";

/** The registers after the call. None of them holds its result. */
interface Registers {
  /** First the first argument, then its table, which is the dispatch key. */
  readonly key: number;
  /** The pointer to the count, and then the count. */
  readonly count: number;
  /** The count's earlier value; of no use in a group. */
  readonly room: number;
  /** The place of the next handle or group. */
  readonly output: number;
  /** An object. */
  readonly object: number;
  /** In a group: how many handles are left, and the place of the next. */
  readonly left: number;
  readonly inner: number;
}

function registersOf({ arguments: integers, scratch: [, room, object] }: Machine): Registers {
  const [, count, output, key, left, inner] = integers;
  return { key, count, room, output, object, left, inner };
}

/**
 * Writes a terminator: calls the command in the dispatch table of the first
 * argument, then stores that table's address in word 0 of the returned handles.
 */
export function writeStamp(code: Machine, spec: StampSpec): void {
  const done = code.label(), uncounted = code.label(), { key, output } = registersOf(code);
  if (isCounted(spec)) code.jumpIfZero(code.arguments[spec.argument - 1], uncounted);
  writeCall(code, spec);
  if (spec.result) code.jumpIfNegative32(code.result, done);
  code.load(key, key);
  code.jumpIfZero(output, done);
  if (spec.handles === "one") stampObject(code, output);
  else stampMany(code, spec, done);
  code.place(done);
  code.ret();
  code.place(uncounted);
  if (spec.refused) writeReport(code, spec.refused);
  code.movImmediate32(code.result, spec.failure);
  code.ret();
}

/** Calls the function that hears of lists without a length, if there is one. */
function writeReport(code: Machine, { heardOffset, about }: StampSpec["refused"] & object): void {
  const [table, format, name, driver] = code.arguments, { scratch: [function_] } = code, unheard = code.label();
  code.load(table, table);
  code.load(function_, table, heardOffset);
  code.jumpIfZero(function_, unheard);
  code.zero(format);
  code.movImmediate32(name, about);
  code.zero(driver);
  code.openFrame(0);
  code.callMemory(table, heardOffset);
  code.closeFrame(0);
  code.place(unheard);
}

/** Calls the hidden command, and sets the registers for what follows. */
function writeCall(code: Machine, spec: StampSpec): void {
  const { key, count, room, output } = registersOf(code), { stack, arguments: integers, scratch: [table] } = code;
  const counter = integers[spec.handles === "allocated" ? 1 : spec.argument - 1], size = 32, at = code.openFrame(size);
  [integers[0], counter, integers[spec.argument]].forEach((register, index) =>
    code.store(stack, at + 8 * index, register)
  );
  if (isCounted(spec)) {
    code.load32(table, counter);
    code.store(stack, at + 24, table);
  }
  code.load(table, integers[0]);
  code.callMemory(table, spec.hiddenOffset);
  [key, count, output].forEach((register, index) => code.load(register, stack, at + 8 * index));
  if (isCounted(spec)) code.load(room, stack, at + 24);
  code.closeFrame(size);
}

function stampMany(code: Machine, spec: StampSpec, done: Label): void {
  const { count, room, output } = registersOf(code);
  code.load32(count, count, spec.lengthAt ?? 0);
  if (isCounted(spec)) code.atMost32(count, room); // a driver may report more elements than there was room for
  const next = code.here();
  code.jumpIfZero32(count, done);
  if (spec.groupPlaces) stampGroup(code, spec.groupPlaces);
  else stampObject(code, output);
  code.decrement32(count);
  code.jump(next);
}

/** Stores the key in the object of the handle at `place` unless that is NULL, and advances `place`. */
function stampObject(code: Machine, place: number): void {
  const skip = code.label(), { key, object } = registersOf(code);
  code.load(object, place);
  code.lea(place, place, 8);
  code.jumpIfZero(object, skip);
  code.store(object, 0, key);
  code.place(skip);
}

/** Stamps one group at the output, and advances the output. */
function stampGroup(code: Machine, group: StampSpec["groupPlaces"] & object): void {
  const done = code.label(), { output, object, left, inner } = registersOf(code);
  code.load32(left, output, group.count);
  code.movImmediate32(object, group.most);
  code.atMost32(left, object);
  code.lea(inner, output, group.handles);
  const next = code.here();
  code.jumpIfZero32(left, done);
  stampObject(code, inner);
  code.decrement32(left);
  code.jump(next);
  code.place(done);
  code.lea(output, output, group.size);
}
