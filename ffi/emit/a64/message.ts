import { type A64, EQ, LO } from "../../asm/a64.ts";
import type { Label } from "../../asm/code.ts";
import { RECORD, RING } from "../layout.ts";
import { MESSAGE, MESSAGE_DATA } from "../vulkan_layout.ts";

/** What the function works with: where the next byte goes, the end of the slot, the struct, an element of a list. */
const SLOT = 0, TO = 1, END = 2, DATA = 3, ELEMENT = 4, COUNT = 5, CUT = 6, FROM = 7;

/** Writes a function for {@linkcode RING.copy}: adds what the third argument, a debug message, points to. */
export function writeMessageCopy(code: A64): void {
  const cut = code.label(), done = code.label();
  code.load(END, 1, RING.stride);
  code.addRegister(END, END, SLOT);
  code.load(DATA, SLOT, RECORD.registers + 16);
  code.add(TO, SLOT, MESSAGE.bytes);
  code.movImmediate32(CUT, 0);
  code.jumpIfZero(DATA, done);
  writeWords(code, DATA, MESSAGE_DATA.size);
  for (const offset of MESSAGE_DATA.strings) writeString(code, DATA, offset, cut);
  for (const list of MESSAGE_DATA.lists) writeList(code, list, cut);
  code.jump(done);
  code.place(cut);
  code.movImmediate32(CUT, 1);
  code.place(done);
  code.subtractRegister(TO, TO, SLOT);
  code.store(TO, SLOT, MESSAGE.end);
  code.store(CUT, SLOT, MESSAGE.cut);
  code.ret();
}

function writeWords(code: A64, from: number, size: number): void {
  for (let at = 0; at < size; at += 8) {
    code.load(9, from, at);
    code.store(9, TO, at);
  }
  code.add(TO, TO, size);
}

/** Copies the string that `base` points to at an offset, NUL and all, unless that is NULL. */
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

function writeList(code: A64, list: (typeof MESSAGE_DATA.lists)[number], cut: Label): void {
  const end = code.label();
  code.load32(COUNT, DATA, list.count);
  code.load(ELEMENT, DATA, list.elements);
  code.jumpIfZero(ELEMENT, end);
  const next = code.here();
  code.jumpIfZero32(COUNT, end);
  code.add(9, TO, MESSAGE_DATA.element);
  code.compare(END, 9);
  code.jumpIf(LO, cut);
  writeWords(code, ELEMENT, MESSAGE_DATA.element);
  writeString(code, ELEMENT, list.text, cut);
  code.add(ELEMENT, ELEMENT, MESSAGE_DATA.element);
  code.subtract32(COUNT, COUNT, 1);
  code.jump(next);
  code.place(end);
}
