import { Code, type FixupKind, type Label } from "./code.ts";

/** Register 31: the stack pointer where an address is meant. */
export const SP = 31;
/** The frame pointer and the link register. */
export const FP = 29, LR = 30;
/** The two registers a branch through a register may use, and that linkers use, too. */
export const X16 = 16, X17 = 17;

/** Condition codes; `LO` and `LS` are unsigned. */
export const EQ = 0, NE = 1, LO = 3, LS = 9;

const IMM26: FixupKind = 0, IMM19: FixupKind = 1, IMM14: FixupKind = 2, ADR: FixupKind = 3;

/**
 * An assembler for the few AArch64 instructions the emitted image needs.
 * Operands come destination first. Names end in `32` for the `w` registers,
 * in `8` and `16` for narrow memory access. A store names the address first,
 * as on x86-64. Offsets must suit the access: a multiple of its size, not
 * negative.
 */
export class A64 extends Code {
  /** See {@linkcode Code.machine}. */
  override readonly machine = 183;

  /** Starts empty. */
  constructor() {
    super(0xd4200020); // brk #1
  }

  /** `mov xd, xm` */
  mov(d: number, m: number): void {
    this.#put(0xaa0003e0 | m << 16 | d);
  }
  /** `mov wd, wm`, which clears the upper half */
  mov32(d: number, m: number): void {
    this.#put(0x2a0003e0 | m << 16 | d);
  }
  /** `mov xd, xn`, one of which is the stack pointer */
  movStack(d: number, n: number): void {
    this.add(d, n, 0);
  }
  /** `movz wd, #low; movk wd, #high, lsl #16` */
  movImmediate32(d: number, value: number): void {
    this.#put(0x52800000 | (value & 0xffff) << 5 | d);
    if (value >>> 16) this.#put(0x72a00000 | (value >>> 16) << 5 | d);
  }
  /** `fmov dd, xn` */
  moveToFloat(d: number, n: number): void {
    this.#put(0x9e670000 | n << 5 | d);
  }
  /** `ldr xt, [xn, #offset]` */
  load(t: number, n: number, offset = 0): void {
    this.#put(0xf9400000 | scaled(offset, 3) << 10 | n << 5 | t);
  }
  /** `ldr wt, [xn, #offset]` */
  load32(t: number, n: number, offset = 0): void {
    this.#put(0xb9400000 | scaled(offset, 2) << 10 | n << 5 | t);
  }
  /** `ldrh wt, [xn]` */
  load16(t: number, n: number): void {
    this.#put(0x79400000 | n << 5 | t);
  }
  /** `ldrb wt, [xn]` */
  load8(t: number, n: number): void {
    this.#put(0x39400000 | n << 5 | t);
  }
  /** `str xt, [xn, #offset]` */
  store(n: number, offset: number, t: number): void {
    this.#put(0xf9000000 | scaled(offset, 3) << 10 | n << 5 | t);
  }
  /** `str wt, [xn, #offset]` */
  store32(n: number, offset: number, t: number): void {
    this.#put(0xb9000000 | scaled(offset, 2) << 10 | n << 5 | t);
  }
  /** `strh wt, [xn, #offset]` */
  store16(n: number, offset: number, t: number): void {
    this.#put(0x79000000 | scaled(offset, 1) << 10 | n << 5 | t);
  }
  /** `strb wt, [xn, #offset]` */
  store8(n: number, offset: number, t: number): void {
    this.#put(0x39000000 | scaled(offset, 0) << 10 | n << 5 | t);
  }
  /** `str dt, [xn, #offset]` */
  storeFloat(n: number, offset: number, t: number): void {
    this.#put(0xfd000000 | scaled(offset, 3) << 10 | n << 5 | t);
  }
  /** `ldr xt, [xn, xm]` */
  loadIndexed(t: number, n: number, m: number): void {
    this.#put(0xf8606800 | m << 16 | n << 5 | t);
  }
  /** `ldr xt, [xn, wm, uxtw]` */
  loadIndexed32(t: number, n: number, m: number): void {
    this.#put(0xf8604800 | m << 16 | n << 5 | t);
  }
  /** `ldr xt, [xn, xm, lsl #3]` */
  loadScaled(t: number, n: number, m: number): void {
    this.#put(0xf8607800 | m << 16 | n << 5 | t);
  }
  /** `str xt, [xn, xm, lsl #3]` */
  storeScaled(t: number, n: number, m: number): void {
    this.#put(0xf8207800 | m << 16 | n << 5 | t);
  }
  /** `ldrb wt, [xn, xm]` */
  load8Indexed(t: number, n: number, m: number): void {
    this.#put(0x38606800 | m << 16 | n << 5 | t);
  }
  /** `strb wt, [xn, xm]` */
  store8Indexed(n: number, m: number, t: number): void {
    this.#put(0x38206800 | m << 16 | n << 5 | t);
  }
  /** `ldp xa, xb, [xn, #offset]` */
  loadPair(a: number, b: number, n: number, offset: number): void {
    this.#put(0xa9400000 | pair(offset) | b << 10 | n << 5 | a);
  }
  /** `stp xa, xb, [xn, #offset]` */
  storePair(a: number, b: number, n: number, offset: number): void {
    this.#put(0xa9000000 | pair(offset) | b << 10 | n << 5 | a);
  }
  /** `ldp da, db, [xn, #offset]` */
  loadFloatPair(a: number, b: number, n: number, offset: number): void {
    this.#put(0x6d400000 | pair(offset) | b << 10 | n << 5 | a);
  }
  /** `stp da, db, [xn, #offset]` */
  storeFloatPair(a: number, b: number, n: number, offset: number): void {
    this.#put(0x6d000000 | pair(offset) | b << 10 | n << 5 | a);
  }
  /** `stp x29, x30, [sp, #-size]!; mov x29, sp`: a frame of `size` bytes, a multiple of 16 */
  enter(size: number): void {
    this.#put(0xa9800000 | pair(-size) | LR << 10 | SP << 5 | FP);
    this.movStack(FP, SP);
  }
  /** `ldp x29, x30, [sp], #size` */
  leave(size: number): void {
    this.#put(0xa8c00000 | pair(size) | LR << 10 | SP << 5 | FP);
  }
  /** `ldar xt, [xn]` */
  loadAcquire(t: number, n: number): void {
    this.#put(0xc8dffc00 | n << 5 | t);
  }
  /** `stlr xt, [xn]` */
  storeRelease(t: number, n: number): void {
    this.#put(0xc89ffc00 | n << 5 | t);
  }
  /** `ldaxr xt, [xn]`: {@linkcode A64.storeExclusive} stores only if nobody else did since. */
  loadExclusive(t: number, n: number): void {
    this.#put(0xc85ffc00 | n << 5 | t);
  }
  /** `stlxr ws, xt, [xn]`: `ws` is 0 if it was stored. */
  storeExclusive(s: number, t: number, n: number): void {
    this.#put(0xc800fc00 | s << 16 | n << 5 | t);
  }
  /** `ldr xt, data` */
  loadSlot(t: number, data: number): void {
    this.toData(IMM19, data);
    this.#put(0x58000000 | t);
  }
  /** `adr xd, data` */
  slotAddress(d: number, data: number): void {
    this.toData(ADR, data);
    this.#put(0x10000000 | d);
  }
  /** `add xd, xn, #value`, the value below 4096 */
  add(d: number, n: number, value: number): void {
    this.#put(0x91000000 | value << 10 | n << 5 | d);
  }
  /** `add xd, xn, #value, lsl #12` */
  addPages(d: number, n: number, value: number): void {
    this.#put(0x91400000 | value << 10 | n << 5 | d);
  }
  /** `sub xd, xn, #value`, the value below 4096 */
  subtract(d: number, n: number, value: number): void {
    this.#put(0xd1000000 | value << 10 | n << 5 | d);
  }
  /** `add wd, wn, #value`, the value below 4096 */
  add32(d: number, n: number, value: number): void {
    this.#put(0x11000000 | value << 10 | n << 5 | d);
  }
  /** `sub wd, wn, #value`, the value below 4096 */
  subtract32(d: number, n: number, value: number): void {
    this.#put(0x51000000 | value << 10 | n << 5 | d);
  }
  /** `add xd, xn, xm, lsl #shift` */
  addRegister(d: number, n: number, m: number, shift = 0): void {
    this.#put(0x8b000000 | m << 16 | shift << 10 | n << 5 | d);
  }
  /** `sub xd, xn, xm` */
  subtractRegister(d: number, n: number, m: number): void {
    this.#put(0xcb000000 | m << 16 | n << 5 | d);
  }
  /** `lsr xd, xn, #count` */
  shiftRight(d: number, n: number, count: number): void {
    this.#put(0xd340fc00 | count << 16 | n << 5 | d);
  }
  /** `sub sp, sp, xm, uxtx #3` */
  growStack(m: number): void {
    this.#put(0xcb206c00 | m << 16 | SP << 5 | SP);
  }
  /** `and wd, wn, wm` */
  and32(d: number, n: number, m: number): void {
    this.#put(0x0a000000 | m << 16 | n << 5 | d);
  }
  /** `eor wd, wd, wm` */
  xor32(d: number, m: number): void {
    this.#put(0x4a000000 | m << 16 | d << 5 | d);
  }
  /** `mul wd, wd, wm` */
  multiply32(d: number, m: number): void {
    this.#put(0x1b007c00 | m << 16 | d << 5 | d);
  }
  /** `ubfx xd, xn, #first, #count`: `count` bits from bit `first` on */
  extractBits(d: number, n: number, first: number, count: number): void {
    this.#put(0xd3400000 | first << 16 | first + count - 1 << 10 | n << 5 | d);
  }
  /** `cmp xn, xm` */
  compare(n: number, m: number): void {
    this.#put(0xeb00001f | m << 16 | n << 5);
  }
  /** `cmp wn, wm` */
  compare32(n: number, m: number): void {
    this.#put(0x6b00001f | m << 16 | n << 5);
  }
  /** `mrs xt, tpidr_el0`: the thread pointer, unique among live threads */
  threadPointer(t: number): void {
    this.#put(0xd53bd040 | t);
  }
  /** `br xn` */
  jumpRegister(n: number): void {
    this.#put(0xd61f0000 | n << 5);
  }
  /** `blr xn` */
  callRegister(n: number): void {
    this.#put(0xd63f0000 | n << 5);
  }
  /** `ret` */
  ret(): void {
    this.#put(0xd65f03c0);
  }
  /** `adr xd, label` */
  labelAddress(d: number, label: Label): void {
    this.toLabel(ADR, label);
    this.#put(0x10000000 | d);
  }
  /** `svc #0`: the kernel's function whose number is in x8 */
  systemCall(): void {
    this.#put(0xd4000001);
  }
  /** `b label` */
  jump(label: Label): void {
    this.toLabel(IMM26, label);
    this.#put(0x14000000);
  }
  /** `bl label` */
  call(label: Label): void {
    this.toLabel(IMM26, label);
    this.#put(0x94000000);
  }
  /** `b.condition label` */
  jumpIf(condition: number, label: Label): void {
    this.toLabel(IMM19, label);
    this.#put(0x54000000 | condition);
  }
  /** `cbz xt, label` */
  jumpIfZero(t: number, label: Label): void {
    this.toLabel(IMM19, label);
    this.#put(0xb4000000 | t);
  }
  /** `cbnz xt, label` */
  jumpIfNotZero(t: number, label: Label): void {
    this.toLabel(IMM19, label);
    this.#put(0xb5000000 | t);
  }
  /** `cbz wt, label` */
  jumpIfZero32(t: number, label: Label): void {
    this.toLabel(IMM19, label);
    this.#put(0x34000000 | t);
  }
  /** `cbnz wt, label` */
  jumpIfNotZero32(t: number, label: Label): void {
    this.toLabel(IMM19, label);
    this.#put(0x35000000 | t);
  }
  /** `tbnz wt, #31, label` */
  jumpIfNegative32(t: number, label: Label): void {
    this.toLabel(IMM14, label);
    this.#put(0x37f80000 | t);
  }
  /** `ldr x16, data; br x16` */
  jumpSlot(data: number): void {
    this.loadSlot(X16, data);
    this.jumpRegister(X16);
  }
  /** See {@linkcode Code.patch}. */
  protected override patch(code: DataView, at: number, kind: FixupKind, distance: number): void {
    code.setUint32(at, code.getUint32(at, true) | distanceField(kind, distance), true);
  }

  #put(instruction: number): void {
    this.word(instruction);
  }
}

/** The field of an instruction that holds a distance in bytes. Throws a `RangeError` when it is too far. */
function distanceField(kind: FixupKind, bytes: number): number {
  const bits = [28, 21, 16, 21][kind];
  if (bytes >= 2 ** (bits - 1) || bytes < -(2 ** (bits - 1))) {
    throw new RangeError(`Cannot reach ${bytes} bytes from an instruction with ${bits} bits for it`);
  }
  const steps = bytes >> 2;
  if (kind === IMM26) return steps & 0x3ffffff;
  if (kind === IMM14) return (steps & 0x3fff) << 5;
  return (kind === ADR ? (bytes & 3) << 29 : 0) | (steps & 0x7ffff) << 5;
}

function scaled(offset: number, shift: number): number {
  const units = offset >> shift;
  if (units << shift !== offset || units < 0 || units > 4095) {
    throw new RangeError(`Cannot use offset ${offset}: it must be a multiple of ${1 << shift} up to ${4095 << shift}`);
  }
  return units;
}

function pair(offset: number): number {
  if (offset & 7 || offset < -512 || offset > 504) {
    throw new RangeError(`Cannot use offset ${offset} for a pair: it must be a multiple of 8 from -512 to 504`);
  }
  return (offset >> 3 & 0x7f) << 15;
}
