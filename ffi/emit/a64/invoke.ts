import { FP, SP, X16 } from "../../asm/a64.ts";
import { INVOKE } from "../layout.ts";
import type { A64Machine } from "./machine.ts";

/** void invoke(block): loads every argument register and the stack from the block, calls, stores both results. */
export function writeInvoke(code: A64Machine): void {
  const block = 19;
  code.begin("invoke");
  code.enter(32);
  code.store(SP, 16, block);
  code.mov(block, 0);
  code.load(9, block, INVOKE.stackCount);
  code.growStack(9);
  const next = code.here(), done = code.label();
  code.jumpIfZero(9, done);
  code.subtract(9, 9, 1);
  code.addRegister(10, block, 9, 3);
  code.load(10, 10, INVOKE.stack);
  code.movStack(11, SP);
  code.storeScaled(10, 11, 9);
  code.jump(next);
  code.place(done);
  code.loadFloats(block, INVOKE.floats);
  code.loadIntegers(block, INVOKE.integers);
  code.load(X16, block, INVOKE.target);
  code.callRegister(X16);
  code.store(block, INVOKE.result, 0);
  code.storeFloat(block, INVOKE.floatResult, 0);
  code.movStack(SP, FP);
  code.load(block, SP, 16);
  code.leave(32);
  code.ret();
}
