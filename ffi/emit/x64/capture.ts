import { R10, R11, RAX, RBP, RCX, RDI, RDX, RSI, RSP, type X64 } from "../../asm/x64.ts";
import type { CaptureSpec } from "../emitter.ts";
import { CAPTURED } from "../layout.ts";
import { ARGUMENTS } from "./stub.ts";

/** Writes capturing functions: 16 bytes each, which are exactly three instructions, and the code they share. */
export function writeCaptures(code: X64, { stackCounts, to }: CaptureSpec): void {
  const shared = code.label(), passOn = code.label();
  stackCounts.forEach((count, index) => {
    code.movImmediate32(RAX, index);
    code.movImmediate32(R10, count);
    code.jump(shared);
  });
  code.place(shared);
  code.push(RBP);
  code.mov(RBP, RSP);
  code.addLarge(RSP, -CAPTURED.size);
  eachRegister((register, at) => code.store(RSP, at, register), (xmm, at) => code.storeFloat(RSP, at, xmm));
  code.lea(RCX, RBP, 16); // above the frame pointer and the return address
  code.store(RSP, CAPTURED.stack, RCX);
  code.mov(RDI, RSP);
  code.mov32(RSI, RAX);
  code.mov32(RDX, R10);
  code.call(to);
  code.jumpIfZero32(RAX, passOn);
  code.load(RAX, RSP, CAPTURED.result);
  code.loadFloat(0, RSP, CAPTURED.floatResult);
  code.mov(RSP, RBP);
  code.pop(RBP);
  code.ret();
  code.place(passOn);
  code.load(R11, RSP, CAPTURED.next);
  eachRegister((register, at) => code.load(register, RSP, at), (xmm, at) => code.loadFloat(xmm, RSP, at));
  code.mov(RSP, RBP);
  code.pop(RBP);
  code.jumpRegister(R11);
}

function eachRegister(integer: (register: number, at: number) => void, float: (xmm: number, at: number) => void): void {
  ARGUMENTS.forEach((register, index) => integer(register, CAPTURED.integers + 8 * index));
  for (let xmm = 0; xmm < 8; xmm++) float(xmm, CAPTURED.floats + 8 * xmm);
}
