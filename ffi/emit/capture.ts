import type { CaptureSpec } from "./emitter.ts";
import { CAPTURE_SIZE, CAPTURED } from "./layout.ts";
import type { Machine } from "./machine.ts";

/** Writes capturing functions, of three instructions that fit in 16 bytes, and the code they share. */
export function writeCaptures(code: Machine, { stackCounts, to }: CaptureSpec): void {
  const shared = code.label(), passOn = code.label(), start = code.length, { stack, result } = code;
  const [frame, index, stackCount] = code.arguments, [first, second] = code.scratch;
  stackCounts.forEach((count, at) => {
    code.length = start + CAPTURE_SIZE * at;
    code.movImmediate32(first, at);
    code.movImmediate32(second, count);
    code.jump(shared);
  });
  code.alignEntry();
  code.place(shared);
  const block = code.openFrame(CAPTURED.size);
  code.storeIntegers(stack, block + CAPTURED.integers);
  code.storeFloats(stack, block + CAPTURED.floats);
  code.lea(frame, stack, code.incoming(CAPTURED.size));
  code.store(stack, block + CAPTURED.stack, frame);
  code.lea(frame, stack, block);
  code.mov32(index, first);
  code.mov32(stackCount, second);
  code.call(to);
  code.jumpIfZero32(result, passOn);
  code.load(second, stack, block + CAPTURED.floatResult);
  code.moveToFloat(0, second);
  code.load(result, stack, block + CAPTURED.result);
  code.closeFrame(CAPTURED.size);
  code.ret();
  code.place(passOn);
  code.load(first, stack, block + CAPTURED.next);
  code.loadIntegers(stack, block + CAPTURED.integers);
  code.loadFloats(stack, block + CAPTURED.floats);
  code.closeFrame(CAPTURED.size);
  code.jumpRegister(first);
}
