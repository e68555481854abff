import { RAX, RCX, RDI, RSI, RSP, type X64 } from "../../asm/x64.ts";
import { CALLER, CLOCK_MONOTONIC, RING } from "../layout.ts";

/** Floating-point argument registers, which the caller's function has yet to get. Arguments are doubles at most. */
const FLOATS = 8;
/** Bytes for those registers, and 8 that align the stack. */
const FRAME = 8 * FLOATS + 8;

/**
 * void noteCaller(slot, ring), for {@linkcode RING.copy}: writes when the call was made and by which thread; see
 * {@linkcode CALLER}.
 */
export function writeNoteCaller(code: X64): void {
  const [ring, slot] = [FRAME, FRAME + 8];
  code.begin("noteCaller");
  code.push(RDI);
  code.push(RSI);
  code.subtractImmediate(RSP, FRAME);
  for (let xmm = 0; xmm < FLOATS; xmm++) code.storeFloat(RSP, 8 * xmm, xmm);
  code.mov(RAX, RSI);
  code.lea(RSI, RDI, CALLER.time);
  code.movImmediate32(RDI, CLOCK_MONOTONIC);
  code.callMemory(RAX, RING.clock);
  code.load(RAX, RSP, ring);
  code.callMemory(RAX, RING.tid);
  code.load(RCX, RSP, slot);
  code.store(RCX, CALLER.tid, RAX);
  for (let xmm = 0; xmm < FLOATS; xmm++) code.loadFloat(xmm, RSP, 8 * xmm);
  code.addImmediate(RSP, FRAME + 16);
  code.ret();
}
