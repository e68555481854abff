import { ABOVE, EQUAL, R10, R8, R9, RAX, RCX, RDI, RDX, RSI, type X64 } from "../../asm/x64.ts";
import type { StampSpec } from "../emitter.ts";
import { isCounted } from "../layout.ts";
import { ARGUMENTS } from "./stub.ts";

/**
 * Writes a terminator: calls the command in the dispatch table of the first
 * argument, then stores that table's address in word 0 of the returned handles.
 */
export function writeStamp(code: X64, spec: StampSpec): void {
  const done = code.label(), uncounted = code.label();
  if (isCounted(spec)) {
    code.test(ARGUMENTS[spec.argument - 1]);
    code.jumpIf(EQUAL, uncounted);
  }
  writeCall(code, spec);
  if (spec.result) {
    code.jumpIfNegative32(RAX, done);
  }
  code.load(RDI, RDI); // the key
  if (spec.handles === "one") stampAt(code, RDX, done);
  else stampMany(code, spec, done);
  code.place(done);
  code.ret();
  code.place(uncounted);
  code.movImmediate32(RAX, spec.failure);
  code.ret();
}

/**
 * Calls the hidden command. Afterwards rdi is the first argument, rdx the
 * output, rsi the pointer to the count, r10 its earlier value.
 */
function writeCall(code: X64, spec: StampSpec): void {
  const counter = spec.handles === "allocated" ? RSI : ARGUMENTS[spec.argument - 1];
  code.push(RDI);
  code.push(counter);
  code.push(ARGUMENTS[spec.argument]); // three pushes align the stack, and so do five
  if (isCounted(spec)) {
    code.load32(RAX, counter);
    code.push(RAX);
    code.push(RAX);
  }
  code.load(RAX, RDI);
  code.callMemory(RAX, spec.hiddenOffset);
  if (isCounted(spec)) {
    code.pop(R10);
    code.pop(R10);
  }
  code.pop(RDX);
  code.pop(RSI);
  code.pop(RDI);
}

/** Stores the key in the object of the handle at `pointer`, unless either is NULL. */
function stampAt(code: X64, pointer: number, done: number): void {
  code.jumpIfZero(pointer, done);
  code.load(RCX, pointer);
  code.jumpIfZero(RCX, done);
  code.store(RCX, 0, RDI);
}

function stampMany(code: X64, spec: StampSpec, done: number): void {
  code.jumpIfZero(RDX, done);
  code.load32(RSI, RSI, spec.lengthAt ?? 0);
  if (isCounted(spec)) { // a driver may report more elements than there was room for
    code.compare32(RSI, R10);
    code.moveIf(ABOVE, RSI, R10);
  }
  const next = code.here();
  code.jumpIfZero32(RSI, done);
  if (spec.groupPlaces) stampGroup(code, spec.groupPlaces);
  else stampElement(code);
  code.decrement32(RSI);
  code.jump(next);
}

function stampElement(code: X64): void {
  const skip = code.label();
  code.load(RCX, RDX);
  code.addImmediate(RDX, 8);
  code.jumpIfZero(RCX, skip);
  code.store(RCX, 0, RDI);
  code.place(skip);
}

/** Stamps one group at rdx, and advances rdx. */
function stampGroup(code: X64, group: StampSpec["groupPlaces"] & object): void {
  const done = code.label(), skip = code.label();
  code.load32(R8, RDX, group.count);
  code.movImmediate32(RCX, group.most);
  code.compare32(R8, RCX);
  code.moveIf(ABOVE, R8, RCX);
  code.lea(R9, RDX, group.handles);
  const next = code.here();
  code.jumpIfZero32(R8, done);
  code.load(RCX, R9);
  code.jumpIfZero(RCX, skip);
  code.store(RCX, 0, RDI);
  code.place(skip);
  code.addImmediate(R9, 8);
  code.decrement32(R8);
  code.jump(next);
  code.place(done);
  code.addLarge(RDX, group.size);
}
