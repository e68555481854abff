import { type A64, EQ, LO } from "../../asm/a64.ts";
import type { Label } from "../../asm/code.ts";
import type { DeepCopySpec } from "../emitter.ts";
import { COPIED, RECORD, RING } from "../layout.ts";

/** Registers of the function: the place for the next byte, the end of the slot, the struct, an element of a list. */
const SLOT = 0, TO = 1, END = 2, DATA = 3, ELEMENT = 4, COUNT = 5, CUT = 6, FROM = 7;

/** Writes a function for {@linkcode RING.copy}: copies the struct at an argument of the recorded call. */
export function writeDeepCopy(code: A64, spec: DeepCopySpec): void {
  const cut = code.label(), done = code.label();
  code.load(END, 1, RING.stride);
  code.addRegister(END, END, SLOT);
  code.load(DATA, SLOT, RECORD.registers + 8 * spec.argument);
  code.add(TO, SLOT, COPIED.bytes);
  code.movImmediate32(CUT, 0);
  code.jumpIfZero(DATA, done);
  writeWords(code, DATA, spec.size);
  for (const offset of spec.strings) writeString(code, DATA, offset, cut);
  for (const list of spec.lists) writeList(code, spec.element, list, cut);
  code.jump(done);
  code.place(cut);
  code.movImmediate32(CUT, 1);
  code.place(done);
  code.subtractRegister(TO, TO, SLOT);
  code.store(TO, SLOT, COPIED.end);
  code.store(CUT, SLOT, COPIED.cut);
  code.ret();
}

function writeWords(code: A64, from: number, size: number): void {
  for (let at = 0; at < size; at += 8) {
    code.load(9, from, at);
    code.store(9, TO, at);
  }
  code.add(TO, TO, size);
}

/** Copies the string at an offset of `base`, with its NUL, unless the pointer is NULL. */
function writeString(code: A64, base: number, offset: number, cut: Label): void {
  const end = code.label();
  code.load(FROM, base, offset);
  code.jumpIfZero(FROM, end);
  const next = code.here();
  code.compare(TO, END);
  code.jumpIf(EQ, cut);
  code.load8(9, FROM);
  code.store8(9, TO);
  code.add(FROM, FROM, 1);
  code.add(TO, TO, 1);
  code.jumpIfNotZero32(9, next);
  code.place(end);
}

function writeList(code: A64, size: number, list: DeepCopySpec["lists"][number], cut: Label): void {
  const end = code.label();
  code.load32(COUNT, DATA, list.count);
  code.load(ELEMENT, DATA, list.elements);
  code.jumpIfZero(ELEMENT, end);
  const next = code.here();
  code.jumpIfZero32(COUNT, end);
  code.add(9, TO, size);
  code.compare(END, 9);
  code.jumpIf(LO, cut);
  writeWords(code, ELEMENT, size);
  writeString(code, ELEMENT, list.text, cut);
  code.add(ELEMENT, ELEMENT, size);
  code.subtract32(COUNT, COUNT, 1);
  code.jump(next);
  code.place(end);
}
