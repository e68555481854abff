import {
  ABOVE,
  BELOW,
  BELOW_OR_EQUAL,
  EQUAL,
  NOT_EQUAL,
  R10,
  R11,
  R12,
  R13,
  R14,
  R8,
  R9,
  RAX,
  RBP,
  RBX,
  RCX,
  RDI,
  RDX,
  RSI,
  RSP,
  SIGN,
  X64,
} from "../../asm/x64.ts";
import type { Label } from "../../asm/code.ts";
import type { Machine } from "../machine.ts";
import type { SystemCall } from "../routine.ts";

/** The registers of integer arguments, in order. */
export const ARGUMENTS: readonly number[] = [RDI, RSI, RDX, RCX, R8, R9];

/** See {@linkcode Machine}. System V calling convention. */
export class X64Machine extends X64 implements Machine {
  readonly arguments = ARGUMENTS;
  readonly scratch = [RAX, R10, R11];
  readonly extra = [R8, R9];
  readonly saved = [RBX, R12, R13, R14, RBP];
  readonly result = RAX;
  readonly stack = RSP;

  openFrame(size: number): number {
    this.#grow(-frameOf(size));
    return 0;
  }
  closeFrame(size: number): void {
    this.#grow(frameOf(size));
  }
  incoming(size?: number): number {
    return 8 + (size === undefined ? 0 : frameOf(size)); // the return address lies below
  }
  returnAddress(to: number): void {
    this.load(to, RSP);
  }
  zero(register: number): void {
    this.xor32(register, register);
  }
  loadFar(to: number, base: number, offset: number): void {
    this.load(to, base, offset);
  }
  loadSum(to: number, base: number, index: number): void {
    this.add(base, index);
    this.load(to, base);
  }
  loadBefore(to: number, base: number, distance: number): void {
    this.load(to, base, -distance);
  }
  loadElement(to: number, base: number, index: number, offset: number): void {
    this.loadScaled(to, base, index, offset);
  }
  /** Every load on this processor is an acquire. */
  acquire(to: number, base: number, offset = 0): void {
    this.load(to, base, offset);
  }
  /** Every store on this processor is a release. */
  publish(base: number, from: number): void {
    this.store(base, 0, from);
  }
  exchange64(to: number, base: number, from: number): void {
    this.exchange(base, 0, from);
    this.mov(to, from);
  }
  replace64(base: number, to: number, failed: Label): void {
    this.compareExchange(base, 0, to); // compares with rax
    this.jumpIf(NOT_EQUAL, failed);
  }
  storeIntegers(base: number, offset: number): void {
    this.arguments.forEach((register, index) => this.store(base, offset + 8 * index, register));
  }
  loadIntegers(base: number, offset: number): void {
    this.arguments.forEach((register, index) => this.load(register, base, offset + 8 * index));
  }
  storeFloats(base: number, offset: number): void {
    for (let xmm = 0; xmm < 8; xmm++) this.storeFloat(base, offset + 8 * xmm, xmm);
  }
  loadFloats(base: number, offset: number): void {
    for (let xmm = 0; xmm < 8; xmm++) this.loadFloat(xmm, base, offset + 8 * xmm);
  }
  sum(to: number, base: number, index: number): void {
    if (to === index) this.add(to, base);
    else if (to === base) this.add(to, index);
    else this.leaIndexed(to, base, index);
  }
  element(to: number, base: number, index: number, shift: number): void {
    this.mov32(to, index);
    this.shiftLeft(to, shift);
    this.add(to, base);
  }
  difference(to: number, other: number): void {
    this.subtract(to, other);
  }
  extractBits(to: number, from: number, first: number, count: number): void {
    if (first + count > 32) {
      if (to !== from) this.mov(to, from);
      if (first + count < 64) this.shiftLeft(to, 64 - first - count);
      this.shiftRight(to, 64 - count);
      return;
    }
    if (to !== from || first + count === 32) this.mov32(to, from);
    if (first > 0) this.shiftRight32(to, first);
    if (first + count < 32) this.andImmediate32(to, 2 ** count - 1);
  }
  atMost32(value: number, most: number): void {
    this.compare32(value, most);
    this.moveIf(ABOVE, value, most);
  }
  callKernel({ x86_64 }: SystemCall): void {
    this.mov(R10, RCX); // the kernel takes the fourth argument there
    this.movImmediate32(RAX, x86_64);
    this.systemCall();
  }
  jumpIfZero(register: number, label: Label): void {
    this.test(register);
    this.jumpIf(EQUAL, label);
  }
  jumpIfNotZero(register: number, label: Label): void {
    this.test(register);
    this.jumpIf(NOT_EQUAL, label);
  }
  jumpIfZero32(register: number, label: Label): void {
    this.test32(register);
    this.jumpIf(EQUAL, label);
  }
  jumpIfNotZero32(register: number, label: Label): void {
    this.test32(register);
    this.jumpIf(NOT_EQUAL, label);
  }
  jumpIfNegative32(register: number, label: Label): void {
    this.test32(register);
    this.jumpIf(SIGN, label);
  }
  jumpIfEqual(left: number, right: number, label: Label): void {
    this.compare(left, right);
    this.jumpIf(EQUAL, label);
  }
  jumpIfDifferent(left: number, right: number, label: Label): void {
    this.compare(left, right);
    this.jumpIf(NOT_EQUAL, label);
  }
  jumpIfEqual32(left: number, right: number, label: Label): void {
    this.compare32(left, right);
    this.jumpIf(EQUAL, label);
  }
  jumpIfDifferent32(left: number, right: number, label: Label): void {
    this.compare32(left, right);
    this.jumpIf(NOT_EQUAL, label);
  }
  jumpIfBelow(left: number, right: number, label: Label): void {
    this.compare(left, right);
    this.jumpIf(BELOW, label);
  }
  jumpIfAtMost(register: number, value: number, label: Label): void {
    this.compareImmediate(register, value);
    this.jumpIf(BELOW_OR_EQUAL, label);
  }
  jumpUnlessMemory(register: number, base: number, offset: number, label: Label): void {
    this.compareMemory(register, base, offset);
    this.jumpIf(NOT_EQUAL, label);
  }
  jumpIfBelowMemory(register: number, base: number, offset: number, label: Label): void {
    this.compareMemory(register, base, offset);
    this.jumpIf(BELOW, label);
  }
  jumpUnlessSlot(register: number, slot: number, label: Label): void {
    this.compareSlot(register, slot);
    this.jumpIf(NOT_EQUAL, label);
  }
  jumpUnlessElement(register: number, base: number, index: number, offset: number, label: Label): void {
    this.compareScaled(register, base, index, offset);
    this.jumpIf(NOT_EQUAL, label);
  }
  jumpUnlessByte(register: number, base: number, index: number, label: Label): void {
    this.compare8Indexed(register, base, index);
    this.jumpIf(NOT_EQUAL, label);
  }

  #grow(bytes: number): void {
    if (bytes >= -128 && bytes < 128) this.addImmediate(RSP, bytes);
    else this.addLarge(RSP, bytes);
  }
}

/** Bytes of a frame that keeps the stack aligned at calls: it completes the return address. */
function frameOf(size: number): number {
  return size % 16 === 8 ? size : size + 8;
}
