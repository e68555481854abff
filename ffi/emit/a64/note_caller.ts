import { type A64, SP, X16 } from "../../asm/a64.ts";
import { CALLER, CLOCK_MONOTONIC, RING } from "../layout.ts";

/** Where the slot and the ring are on the stack, and the floating-point argument registers behind. */
const KEPT = 16, FLOATS_AT = 32, FRAME = 96;

/**
 * void noteCaller(slot, ring), for {@linkcode RING.copy}: writes when the call was made and by which thread; see
 * {@linkcode CALLER}. Floating-point arguments, which the caller's function has yet to get, are doubles at most.
 */
export function writeNoteCaller(code: A64): void {
  const slot = 9, ring = 10;
  code.begin("noteCaller");
  code.enter(FRAME);
  code.storePair(0, 1, SP, KEPT);
  for (let index = 0; index < 8; index += 2) code.storeFloatPair(index, index + 1, SP, FLOATS_AT + 8 * index);
  code.load(X16, 1, RING.clock);
  code.add(1, 0, CALLER.time);
  code.movImmediate32(0, CLOCK_MONOTONIC);
  code.callRegister(X16);
  code.loadPair(slot, ring, SP, KEPT);
  code.load(X16, ring, RING.tid);
  code.callRegister(X16);
  code.loadPair(slot, ring, SP, KEPT);
  code.store(0, slot, CALLER.tid);
  for (let index = 0; index < 8; index += 2) code.loadFloatPair(index, index + 1, SP, FLOATS_AT + 8 * index);
  code.leave(FRAME);
  code.ret();
}
