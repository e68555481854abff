import { LO, NE, SP, X16 } from "../../asm/a64.ts";
import type { Label } from "../../asm/code.ts";
import { RECORD, RING, SPILL, THUNK } from "../layout.ts";
import type { A64Machine } from "./machine.ts";

/** The thunk's record, where `thunkRegisters` has it, and registers that hold no argument. */
const THUNK_AT = 10, RING_AT = 9, PLACE = 15, SLOT = 11;

/** Records the call in the ring of the thunk at x10, if it has one. Preserves every argument. */
export function writeRecord(code: A64Machine): void {
  const none = code.label(), leave = code.label(), full = code.label();
  code.load(RING_AT, THUNK_AT, THUNK.ring);
  code.jumpIfZero(RING_AT, none);
  code.add(RING_AT, THUNK_AT, THUNK.busy);
  writeAdd(code, RING_AT, 1); // from now on the ring stays, but it may have gone just before
  code.add(RING_AT, THUNK_AT, THUNK.ring);
  code.loadAcquire(RING_AT, RING_AT);
  code.jumpIfZero(RING_AT, leave);
  writeClaim(code, full);
  writeCall(code);
  writeCopy(code);
  code.load(12, SLOT, RECORD.sequence);
  code.add(12, 12, 1);
  code.storeRelease(12, SLOT);
  code.jump(leave);
  code.place(full);
  code.add(PLACE, RING_AT, RING.lost);
  writeAdd(code, PLACE, 1);
  code.place(leave);
  code.add(RING_AT, THUNK_AT, THUNK.busy);
  writeAdd(code, RING_AT, -1);
  code.place(none);
}

/** Adds 1 or -1 to the 64 bits at an address, in one step for other threads. */
function writeAdd(code: A64Machine, address: number, value: 1 | -1): void {
  const retry = code.here();
  code.loadExclusive(12, address);
  if (value > 0) code.add(12, 12, 1);
  else code.subtract(12, 12, 1);
  code.storeExclusive(13, 12, address);
  code.jumpIfNotZero32(13, retry);
}

/** Claims a slot of the ring and leaves its address in SLOT. RING_AT is also the address of the ring's tail. */
function writeClaim(code: A64Machine, full: Label): void {
  const retry = code.here();
  code.loadAcquire(PLACE, RING_AT);
  code.add(12, RING_AT, RING.head);
  code.loadAcquire(12, 12);
  code.compare(PLACE, 12);
  code.jumpIf(LO, retry); // others have filled this place meanwhile, and the reader has emptied it
  code.subtractRegister(12, PLACE, 12);
  code.load(13, RING_AT, RING.mask);
  code.compare(13, 12);
  code.jumpIf(LO, full);
  code.and32(12, PLACE, 13);
  code.load(13, RING_AT, RING.stride);
  code.multiply32(12, 13);
  code.addRegister(SLOT, RING_AT, 12);
  code.add(SLOT, SLOT, RING.slots);
  code.loadExclusive(12, RING_AT);
  code.compare(12, PLACE);
  code.jumpIf(NE, retry);
  code.add(12, PLACE, 1);
  code.storeExclusive(13, 12, RING_AT);
  code.jumpIfNotZero32(13, retry);
  code.store(SLOT, RECORD.sequence, PLACE);
}

/** Writes the thunk, the thread and the arguments. */
function writeCall(code: A64Machine): void {
  code.load(12, THUNK_AT, THUNK.token);
  code.store(SLOT, RECORD.token, 12);
  code.threadPointer(12);
  code.store(SLOT, RECORD.thread, 12);
  const integers = RECORD.registers + SPILL.integers, floats = RECORD.registers + SPILL.floats;
  for (let index = 0; index < 8; index += 2) code.storePair(index, index + 1, SLOT, integers + 8 * index);
  for (let index = 0; index < 8; index += 2) code.storeFloatPair(index, index + 1, SLOT, floats + 8 * index);
  code.load(12, THUNK_AT, THUNK.stackCount);
  code.add(14, SLOT, RECORD.stack);
  const next = code.here(), done = code.label();
  code.jumpIfZero(12, done);
  code.subtract(12, 12, 1);
  code.loadScaled(13, SP, 12);
  code.storeScaled(13, 14, 12);
  code.jump(next);
  code.place(done);
}

/** Calls the ring's copy function, if there is one. The function preserves the floating-point registers. */
function writeCopy(code: A64Machine): void {
  const frame = 112, done = code.label();
  code.load(X16, RING_AT, RING.copy);
  code.jumpIfZero(X16, done);
  code.enter(frame);
  for (let index = 0; index < 8; index += 2) code.storePair(index, index + 1, SP, 16 + 8 * index);
  code.storePair(8, THUNK_AT, SP, 80);
  code.store(SP, 96, SLOT);
  code.mov(0, SLOT);
  code.mov(1, RING_AT);
  code.callRegister(X16);
  for (let index = 0; index < 8; index += 2) code.loadPair(index, index + 1, SP, 16 + 8 * index);
  code.loadPair(8, THUNK_AT, SP, 80);
  code.load(SLOT, SP, 96);
  code.leave(frame);
  code.place(done);
}
