import { CALLER, CLOCK_MONOTONIC, RING } from "./layout.ts";
import type { Machine } from "./machine.ts";

/** In the frame: the slot, the ring, and the floating-point argument registers. */
const SLOT = 0, RING_AT = 8, FLOATS = 16, SIZE = 80;

/**
 * void noteCaller(slot, ring), for {@linkcode RING.copy}: writes when the call was made and by which thread; see
 * {@linkcode CALLER}. Floating-point arguments, which the caller's function has yet to get, are doubles at most.
 */
export function writeNoteCaller(code: Machine): void {
  const [slot, ring] = code.arguments, [clock] = code.scratch, { stack, result } = code;
  code.begin("noteCaller");
  const at = code.openFrame(SIZE);
  code.store(stack, at + SLOT, slot);
  code.store(stack, at + RING_AT, ring);
  code.storeFloats(stack, at + FLOATS);
  code.load(clock, ring, RING.clock);
  code.lea(ring, slot, CALLER.time); // the second argument
  code.movImmediate32(slot, CLOCK_MONOTONIC);
  code.callRegister(clock);
  code.load(ring, stack, at + RING_AT);
  code.callMemory(ring, RING.tid);
  code.load(ring, stack, at + SLOT);
  code.store(ring, CALLER.tid, result);
  code.loadFloats(stack, at + FLOATS);
  code.closeFrame(SIZE);
  code.ret();
}
