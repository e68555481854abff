import { BELOW, EQUAL, R10, R11, R8, R9, RAX, RCX, RDI, RDX, RSI, type X64 } from "../../asm/x64.ts";
import type { Label } from "../../asm/code.ts";
import type { DeepCopySpec } from "../emitter.ts";
import { COPIED, RECORD, RING } from "../layout.ts";

/** Registers of the function: the place for the next byte, the end of the slot, the struct, an element of a list. */
const TO = RDI, END = RDX, DATA = R9, ELEMENT = R11, COUNT = RCX, CUT = R10;

/** Writes a function for {@linkcode RING.copy}: copies the struct at an argument of the recorded call. */
export function writeDeepCopy(code: X64, spec: DeepCopySpec): void {
  const cut = code.label(), done = code.label();
  code.mov(R8, RDI);
  code.load(RAX, RSI, RING.stride);
  code.leaIndexed(END, RDI, RAX);
  code.load(DATA, R8, RECORD.registers + 8 * spec.argument);
  code.addLarge(TO, COPIED.bytes);
  code.xor32(CUT, CUT);
  code.jumpIfZero(DATA, done);
  writeWords(code, DATA, spec.size);
  for (const offset of spec.strings) writeString(code, DATA, offset, cut);
  for (const list of spec.lists) writeList(code, spec.element, list, cut);
  code.jump(done);
  code.place(cut);
  code.movImmediate32(CUT, 1);
  code.place(done);
  code.subtract(TO, R8);
  code.store(R8, COPIED.end, TO);
  code.store(R8, COPIED.cut, CUT);
  code.ret();
}

function writeWords(code: X64, from: number, size: number): void {
  for (let at = 0; at < size; at += 8) {
    code.load(RAX, from, at);
    code.store(TO, at, RAX);
  }
  code.addImmediate(TO, size);
}

/** Copies the string at an offset of `base`, with its NUL, unless the pointer is NULL. */
function writeString(code: X64, base: number, offset: number, cut: Label): void {
  const end = code.label();
  code.load(RSI, base, offset);
  code.jumpIfZero(RSI, end);
  const next = code.here();
  code.compare(TO, END);
  code.jumpIf(EQUAL, cut);
  code.load8(RAX, RSI);
  code.store8(TO, 0, RAX);
  code.increment(RSI);
  code.increment(TO);
  code.jumpIfNotZero32(RAX, next);
  code.place(end);
}

function writeList(code: X64, size: number, list: DeepCopySpec["lists"][number], cut: Label): void {
  const end = code.label();
  code.load32(COUNT, DATA, list.count);
  code.load(ELEMENT, DATA, list.elements);
  code.jumpIfZero(ELEMENT, end);
  const next = code.here();
  code.jumpIfZero32(COUNT, end);
  code.lea(RAX, TO, size);
  code.compare(END, RAX);
  code.jumpIf(BELOW, cut);
  writeWords(code, ELEMENT, size);
  writeString(code, ELEMENT, list.text, cut);
  code.addImmediate(ELEMENT, size);
  code.decrement32(COUNT);
  code.jump(next);
  code.place(end);
}
