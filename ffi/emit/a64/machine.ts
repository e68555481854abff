import { A64, EQ, LO, LR, LS, NE, SP, X16, X17 } from "../../asm/a64.ts";
import type { Label } from "../../asm/code.ts";
import type { Machine } from "../machine.ts";
import type { SystemCall } from "../routine.ts";

/** Bytes of the frame record at the bottom of a frame. */
const RECORD = 16;

/** See {@linkcode Machine}. Functions are called as on Linux and Android. */
export class A64Machine extends A64 implements Machine {
  readonly arguments = [0, 1, 2, 3, 4, 5, 6, 7];
  readonly scratch = [X17, 9, 10];
  readonly extra = [11, 12];
  readonly saved = [19, 20, 21, 22, 23];
  readonly result = 0;
  readonly stack = SP;

  openFrame(size: number): number {
    this.enter(frameOf(size));
    return RECORD;
  }
  closeFrame(size: number): void {
    this.leave(frameOf(size));
  }
  incoming(size?: number): number {
    return size === undefined ? 0 : frameOf(size);
  }
  returnAddress(to: number): void {
    this.mov(to, LR);
  }
  zero(register: number): void {
    this.movImmediate32(register, 0);
  }
  /** The offset may be up to 16 MiB. */
  loadFar(to: number, base: number, offset: number): void {
    if (offset <= 32760) return this.load(to, base, offset);
    if (offset >= 1 << 24) throw new RangeError(`Cannot load from offset ${offset}: it is out of reach`);
    this.addPages(X16, base, offset >> 12);
    this.load(to, X16, offset & 4095);
  }
  loadSum(to: number, base: number, index: number): void {
    this.loadIndexed(to, base, index);
  }
  loadBefore(to: number, base: number, distance: number): void {
    this.movImmediate32(to, distance);
    this.subtractRegister(to, base, to);
    this.load(to, to);
  }
  loadElement(to: number, base: number, index: number, offset: number): void {
    if (offset > 0) this.addPages(X16, base, offset >> 12);
    this.loadScaled(to, offset > 0 ? X16 : base, index);
  }
  acquire(to: number, base: number, offset = 0): void {
    if (offset > 0) this.add(X16, base, offset);
    this.loadAcquire(to, offset > 0 ? X16 : base);
  }
  publish(base: number, from: number): void {
    this.storeRelease(from, base);
  }
  exchange64(to: number, base: number, from: number): void {
    const retry = this.here();
    this.loadExclusive(X17, base);
    this.storeExclusive(X16, from, base);
    this.jumpIfNotZero32(X16, retry);
    this.mov(to, X17);
  }
  replace64(base: number, to: number, failed: Label): void {
    const retry = this.here();
    this.loadExclusive(X16, base);
    this.compare(X16, X17);
    this.jumpIf(NE, failed);
    this.storeExclusive(X16, to, base);
    this.jumpIfNotZero32(X16, retry);
  }
  storeIntegers(base: number, offset: number): void {
    for (let index = 0; index < 8; index += 2) this.storePair(index, index + 1, base, offset + 8 * index);
  }
  loadIntegers(base: number, offset: number): void {
    for (let index = 0; index < 8; index += 2) this.loadPair(index, index + 1, base, offset + 8 * index);
  }
  storeFloats(base: number, offset: number): void {
    for (let index = 0; index < 8; index += 2) this.storeFloatPair(index, index + 1, base, offset + 8 * index);
  }
  loadFloats(base: number, offset: number): void {
    for (let index = 0; index < 8; index += 2) this.loadFloatPair(index, index + 1, base, offset + 8 * index);
  }
  storeSlot(slot: number, from: number): void {
    this.slotAddress(X16, slot);
    this.store(X16, 0, from);
  }
  lea(to: number, base: number, offset: number): void {
    if (offset >= 1 << 24) {
      this.movImmediate32(X16, offset);
      return this.addRegister(to, base, X16);
    }
    if (offset >> 12) this.addPages(to, base, offset >> 12);
    if (offset & 4095 || !offset) this.add(to, offset >> 12 ? to : base, offset & 4095);
  }
  sum(to: number, base: number, index: number): void {
    this.addRegister(to, base, index);
  }
  element(to: number, base: number, index: number, shift: number): void {
    this.addRegister(to, base, index, shift);
  }
  difference(to: number, other: number): void {
    this.subtractRegister(to, to, other);
  }
  decrement(register: number): void {
    this.subtract(register, register, 1);
  }
  decrement32(register: number): void {
    this.subtract32(register, register, 1);
  }
  andMemory32(to: number, base: number, offset: number): void {
    this.load32(X16, base, offset);
    this.and32(to, to, X16);
  }
  atMost32(value: number, most: number): void {
    const fits = this.label();
    this.compare32(value, most);
    this.jumpIf(LS, fits);
    this.mov32(value, most);
    this.place(fits);
  }
  jumpMemory(base: number, offset: number): void {
    this.loadFar(X16, base, offset);
    this.jumpRegister(X16);
  }
  jumpIndexed(base: number, index: number): void {
    this.loadIndexed(X16, base, index);
    this.jumpRegister(X16);
  }
  callSlot(slot: number): void {
    this.loadSlot(X16, slot);
    this.callRegister(X16);
  }
  callMemory(base: number, offset: number): void {
    this.loadFar(X16, base, offset);
    this.callRegister(X16);
  }
  callKernel({ aarch64 }: SystemCall): void {
    this.movImmediate32(8, aarch64);
    this.systemCall();
  }
  jumpIfEqual(left: number, right: number, label: Label): void {
    this.compare(left, right);
    this.jumpIf(EQ, label);
  }
  jumpIfDifferent(left: number, right: number, label: Label): void {
    this.compare(left, right);
    this.jumpIf(NE, label);
  }
  jumpIfEqual32(left: number, right: number, label: Label): void {
    this.compare32(left, right);
    this.jumpIf(EQ, label);
  }
  jumpIfDifferent32(left: number, right: number, label: Label): void {
    this.compare32(left, right);
    this.jumpIf(NE, label);
  }
  jumpIfBelow(left: number, right: number, label: Label): void {
    this.compare(left, right);
    this.jumpIf(LO, label);
  }
  jumpIfAtMost(register: number, value: number, label: Label): void {
    this.movImmediate32(X16, value);
    this.compare(register, X16);
    this.jumpIf(LS, label);
  }
  jumpUnlessMemory(register: number, base: number, offset: number, label: Label): void {
    this.load(X16, base, offset);
    this.compare(register, X16);
    this.jumpIf(NE, label);
  }
  jumpIfBelowMemory(register: number, base: number, offset: number, label: Label): void {
    this.load(X16, base, offset);
    this.jumpIfBelow(register, X16, label);
  }
  jumpUnlessSlot(register: number, slot: number, label: Label): void {
    this.loadSlot(X16, slot);
    this.compare(register, X16);
    this.jumpIf(NE, label);
  }
  jumpUnlessElement(register: number, base: number, index: number, offset: number, label: Label): void {
    this.loadElement(X16, base, index, offset);
    this.compare(register, X16);
    this.jumpIf(NE, label);
  }
  jumpUnlessByte(register: number, base: number, index: number, label: Label): void {
    this.load8Indexed(X16, base, index);
    this.jumpIfDifferent32(register, X16, label);
  }
}

/** Bytes of a frame: the record, and the rest in pairs. */
function frameOf(size: number): number {
  return RECORD + (size + 15 & ~15);
}
