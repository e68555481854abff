import { RAX, RBP, RBX, RDI, RSP } from "../../asm/x64.ts";
import { INVOKE } from "../layout.ts";
import type { X64Machine } from "./machine.ts";

/** void invoke(block): loads every argument register and the stack from the block, calls, stores both results. */
export function writeInvoke(code: X64Machine): void {
  code.begin("invoke");
  code.push(RBP);
  code.mov(RBP, RSP);
  code.push(RBX);
  code.push(RBX); // twice, for alignment
  code.mov(RBX, RDI);
  code.load(RAX, RBX, INVOKE.stackCount);
  const next = code.here(), done = code.label();
  code.jumpIfZero(RAX, done);
  code.pushScaled(RBX, RAX, INVOKE.stack - 8);
  code.decrement(RAX);
  code.jump(next);
  code.place(done);
  code.loadFloats(RBX, INVOKE.floats);
  code.loadIntegers(RBX, INVOKE.integers);
  code.movImmediate32(RAX, 8); // the number of vector registers used, for variadic callees
  code.callMemory(RBX, INVOKE.target);
  code.store(RBX, INVOKE.result, RAX);
  code.storeFloat(RBX, INVOKE.floatResult, 0);
  code.lea(RSP, RBP, -16);
  code.pop(RBX);
  code.pop(RBX);
  code.pop(RBP);
  code.ret();
}
