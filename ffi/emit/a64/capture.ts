import { type A64, SP, X16, X17 } from "../../asm/a64.ts";
import type { CaptureSpec } from "../emitter.ts";
import { CAPTURE_SIZE, CAPTURED } from "../layout.ts";

/** The frame record, and the block above it. */
const BLOCK = 16, FRAME = BLOCK + CAPTURED.size;

/** Writes capturing functions, and the code they share. */
export function writeCaptures(code: A64, { stackCounts, to }: CaptureSpec): void {
  const shared = code.label(), passOn = code.label(), first = code.length;
  stackCounts.forEach((count, index) => {
    code.length = first + CAPTURE_SIZE * index;
    code.movImmediate32(X16, index);
    code.movImmediate32(X17, count);
    code.jump(shared);
  });
  code.alignEntry();
  code.place(shared);
  code.movStack(9, SP);
  code.enter(FRAME);
  for (let pair = 0; pair < 8; pair += 2) {
    code.storePair(pair, pair + 1, SP, BLOCK + CAPTURED.integers + 8 * pair);
    code.storeFloatPair(pair, pair + 1, SP, BLOCK + CAPTURED.floats + 8 * pair);
  }
  code.store(9, SP, BLOCK + CAPTURED.stack);
  code.add(0, SP, BLOCK);
  code.mov32(1, X16);
  code.mov32(2, X17);
  code.call(to);
  code.jumpIfZero32(0, passOn);
  code.load(0, SP, BLOCK + CAPTURED.result);
  code.load(9, SP, BLOCK + CAPTURED.floatResult);
  code.moveToFloat(0, 9);
  code.leave(FRAME);
  code.ret();
  code.place(passOn);
  code.load(X16, SP, BLOCK + CAPTURED.next);
  for (let pair = 0; pair < 8; pair += 2) {
    code.loadPair(pair, pair + 1, SP, BLOCK + CAPTURED.integers + 8 * pair);
    code.loadFloatPair(pair, pair + 1, SP, BLOCK + CAPTURED.floats + 8 * pair);
  }
  code.leave(FRAME);
  code.jumpRegister(X16);
}
