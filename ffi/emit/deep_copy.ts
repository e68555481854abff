import type { Label } from "../asm/code.ts";
import type { DeepCopySpec } from "./emitter.ts";
import { COPIED, RECORD, RING } from "./layout.ts";
import type { Machine } from "./machine.ts";

/** The registers of the function, which is a leaf and uses all that calls change. */
interface Registers {
  /** The slot of the ring. */
  readonly slot: number;
  /** The struct. */
  readonly data: number;
  /** An element of a list, and how many are left. */
  readonly element: number;
  readonly count: number;
  /** The next byte of a string, the place for the next byte, and the end of the slot. */
  readonly from: number;
  readonly to: number;
  readonly end: number;
  /** Whether the copy was cut, and what is being copied. */
  readonly cut: number;
  readonly value: number;
}

function registersOf({ arguments: integers, scratch: [value, cut, element] }: Machine): Registers {
  const [slot, from, end, count, to, data] = integers;
  return { slot, data, element, count, from, to, end, cut, value };
}

/** Writes a function for {@linkcode RING.copy}: copies the struct at an argument of the recorded call. */
export function writeDeepCopy(code: Machine, spec: DeepCopySpec): void {
  const short = code.label(), done = code.label(), { slot, data, to, end, cut } = registersOf(code);
  const ring = code.arguments[1];
  code.load(end, ring, RING.stride);
  code.sum(end, slot, end);
  code.load(data, slot, RECORD.registers + 8 * spec.argument);
  code.lea(to, slot, COPIED.bytes);
  code.zero(cut);
  code.jumpIfZero(data, done);
  writeWords(code, data, spec.size);
  for (const offset of spec.strings) writeString(code, data, offset, short);
  for (const list of spec.lists) writeList(code, spec.element, list, short);
  code.jump(done);
  code.place(short);
  code.movImmediate32(cut, 1);
  code.place(done);
  code.difference(to, slot);
  code.store(slot, COPIED.end, to);
  code.store(slot, COPIED.cut, cut);
  code.ret();
}

function writeWords(code: Machine, from: number, size: number): void {
  const { to, value } = registersOf(code);
  for (let at = 0; at < size; at += 8) {
    code.load(value, from, at);
    code.store(to, at, value);
  }
  code.lea(to, to, size);
}

/** Copies the string at an offset of `base`, with its NUL, unless the pointer is NULL. */
function writeString(code: Machine, base: number, offset: number, short: Label): void {
  const { from, to, end, value } = registersOf(code), done = code.label();
  code.load(from, base, offset);
  code.jumpIfZero(from, done);
  const next = code.here();
  code.jumpIfEqual(to, end, short);
  code.load8(value, from);
  code.store8(to, 0, value);
  code.lea(from, from, 1);
  code.lea(to, to, 1);
  code.jumpIfNotZero32(value, next);
  code.place(done);
}

function writeList(code: Machine, size: number, list: DeepCopySpec["lists"][number], short: Label): void {
  const { data, element, count, to, end, value } = registersOf(code), done = code.label();
  code.load32(count, data, list.count);
  code.load(element, data, list.elements);
  code.jumpIfZero(element, done);
  const next = code.here();
  code.jumpIfZero32(count, done);
  code.lea(value, to, size);
  code.jumpIfBelow(end, value, short);
  writeWords(code, element, size);
  writeString(code, element, list.text, short);
  code.lea(element, element, size);
  code.decrement32(count);
  code.jump(next);
  code.place(done);
}
