import { ABOVE, NOT_EQUAL, R11, R8, R9, RAX, RCX, RDI, RDX, RSI, RSP, SIGN } from "../../asm/x64.ts";
import type { Label } from "../../asm/code.ts";
import { RECORD, RING, SPILL, THUNK } from "../layout.ts";
import { ARGUMENTS, type X64Machine } from "./machine.ts";

/** Registers saved on the stack, an odd number to align it. The arguments come first. */
const SAVED = [...ARGUMENTS, R11];
/**
 * Byte offsets, from the stack pointer after saving, of the first integer
 * argument and of the first argument on the stack.
 */
const FIRST = 8 * (SAVED.length - 1), STACK = 8 * SAVED.length + 8;

/** Records the call in the ring of the thunk at r11, if it has one. Preserves every argument. */
export function writeRecord(code: X64Machine): void {
  const none = code.label(), leave = code.label(), full = code.label(), restore = code.label();
  code.load(RAX, R11, THUNK.ring);
  code.jumpIfZero(RAX, none);
  code.lockIncrement(R11, THUNK.busy); // from now on the ring stays, but it may have gone just before
  code.load(RAX, R11, THUNK.ring);
  code.jumpIfZero(RAX, leave);
  for (const register of SAVED) code.push(register);
  code.mov(R9, RAX);
  writeClaim(code, full);
  writeCall(code);
  writeCopy(code);
  code.load(RAX, R8, RECORD.sequence);
  code.increment(RAX);
  code.store(R8, RECORD.sequence, RAX); // every store on x86-64 is a release
  code.jump(restore);
  code.place(full);
  code.lockIncrement(R9, RING.lost);
  code.place(restore);
  for (const register of SAVED.toReversed()) code.pop(register);
  code.place(leave);
  code.lockDecrement(R11, THUNK.busy);
  code.place(none);
}

/** Claims a slot of the ring at r9 and leaves its address in r8. */
function writeClaim(code: X64Machine, full: Label): void {
  const retry = code.here();
  code.load(RAX, R9, RING.tail);
  code.load(RCX, R9, RING.head);
  code.mov(RDX, RAX);
  code.subtract(RDX, RCX);
  code.jumpIf(SIGN, retry); // others have filled this place meanwhile, and the reader has emptied it
  code.compareMemory(RDX, R9, RING.mask);
  code.jumpIf(ABOVE, full);
  code.mov(RDX, RAX);
  code.andMemory(RDX, R9, RING.mask);
  code.multiplyMemory(RDX, R9, RING.stride);
  code.leaIndexed(R8, R9, RDX);
  code.addLarge(R8, RING.slots);
  code.lea(RCX, RAX, 1);
  code.compareExchange(R9, RING.tail, RCX);
  code.jumpIf(NOT_EQUAL, retry);
  code.store(R8, RECORD.sequence, RAX);
}

/** Writes the thunk, the thread and the arguments. */
function writeCall(code: X64Machine): void {
  code.load(RAX, R11, THUNK.token);
  code.store(R8, RECORD.token, RAX);
  code.threadPointer(RAX);
  code.store(R8, RECORD.thread, RAX);
  ARGUMENTS.forEach((_register, index) => {
    code.load(RAX, RSP, FIRST - 8 * index);
    code.store(R8, RECORD.registers + SPILL.integers + 8 * index, RAX);
  });
  for (let xmm = 0; xmm < 8; xmm++) code.storeFloat(R8, RECORD.registers + SPILL.floats + 8 * xmm, xmm);
  code.load(RCX, R11, THUNK.stackCount);
  const next = code.here(), done = code.label();
  code.jumpIfZero(RCX, done);
  code.decrement(RCX);
  code.loadScaled(RAX, RSP, RCX, STACK);
  code.storeScaled(R8, RCX, RECORD.stack, RAX);
  code.jump(next);
  code.place(done);
}

/** Calls the ring's copy function, if there is one. The function preserves the floating-point registers. */
function writeCopy(code: X64Machine): void {
  const done = code.label();
  code.load(RAX, R9, RING.copy);
  code.jumpIfZero(RAX, done);
  code.push(R8);
  code.push(R8); // twice, for alignment
  code.mov(RDI, R8);
  code.mov(RSI, R9);
  code.callRegister(RAX);
  code.pop(R8);
  code.pop(R8);
  code.place(done);
}
