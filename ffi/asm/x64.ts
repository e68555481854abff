import { Code, type FixupKind, type Label } from "./code.ts";

/** The sixteen general registers by their encoding. */
export const RAX = 0, RCX = 1, RDX = 2, RBX = 3, RSP = 4, RBP = 5, RSI = 6, RDI = 7;
/** The second half of the general registers. */
export const R8 = 8, R9 = 9, R10 = 10, R11 = 11, R12 = 12, R13 = 13, R14 = 14, R15 = 15;

/** Condition codes as the low nibble of `jcc` and `cmovcc`. */
export const BELOW = 2, EQUAL = 4, NOT_EQUAL = 5, BELOW_OR_EQUAL = 6, ABOVE = 7, SIGN = 8;

const REL32: FixupKind = 0;

/**
 * An assembler for the few x86-64 instructions the emitted image needs, with
 * the bytes GNU as would choose. Operands come destination first. Names end in
 * `32` for 32-bit operands (which clear the upper half of the register), in
 * `8` and `16` for narrow memory access.
 */
export class X64 extends Code {
  /** See {@linkcode Code.machine}. */
  override readonly machine = 62;

  /** Starts empty. */
  constructor() {
    super(0xcccccccc); // int3, four times
  }

  /** `mov dst, src` */
  mov(dst: number, src: number): void {
    this.#direct(1, 0x89, src, dst);
  }
  /** `mov dst32, src32` */
  mov32(dst: number, src: number): void {
    this.#direct(0, 0x89, src, dst);
  }
  /** `mov dst32, immediate` */
  movImmediate32(dst: number, value: number): void {
    if (dst > 7) this.byte(0x41);
    this.byte(0xb8 | dst & 7);
    this.word(value);
  }
  /** `mov dst, [base + offset]` */
  load(dst: number, base: number, offset = 0): void {
    this.#memory(1, 0x8b, dst, base, offset);
  }
  /** `mov dst32, [base + offset]` */
  load32(dst: number, base: number, offset = 0): void {
    this.#memory(0, 0x8b, dst, base, offset);
  }
  /** `movzx dst32, word [base + offset]` */
  load16(dst: number, base: number, offset = 0): void {
    this.#memory(0, 0x0fb7, dst, base, offset);
  }
  /** `movzx dst32, byte [base + offset]` */
  load8(dst: number, base: number, offset = 0): void {
    this.#memory(0, 0x0fb6, dst, base, offset);
  }
  /** `movzx dst32, byte [base + index]` */
  load8Indexed(dst: number, base: number, index: number): void {
    this.#indexed(0, 0x0fb6, dst, base, index);
  }
  /** `mov [base + offset], src` */
  store(base: number, offset: number, src: number): void {
    this.#memory(1, 0x89, src, base, offset);
  }
  /** `mov [base + offset], src32` */
  store32(base: number, offset: number, src: number): void {
    this.#memory(0, 0x89, src, base, offset);
  }
  /** `mov [base + offset], src16` */
  store16(base: number, offset: number, src: number): void {
    this.byte(0x66);
    this.#memory(0, 0x89, src, base, offset);
  }
  /** `mov [base + offset], src8`; `src` must be one of the first eight registers. */
  store8(base: number, offset: number, src: number): void {
    if (src >= 4 && base < 8) this.byte(0x40); // without a prefix 4 to 7 would mean ah, ch, dh, bh
    this.#memory(0, 0x88, src, base, offset);
  }
  /** `mov [base + index], src8`; `src` must be one of the first four registers. */
  store8Indexed(base: number, index: number, src: number): void {
    this.#indexed(0, 0x88, src, base, index);
  }
  /** `mov dst, [base + index * 8 + offset]` */
  loadScaled(dst: number, base: number, index: number, offset: number): void {
    this.#indexed(1, 0x8b, dst, base, index, 3, offset);
  }
  /** `mov [base + index * 8 + offset], src` */
  storeScaled(base: number, index: number, offset: number, src: number): void {
    this.#indexed(1, 0x89, src, base, index, 3, offset);
  }
  /** `lock inc qword [base + offset]` */
  lockIncrement(base: number, offset: number): void {
    this.byte(0xf0);
    this.#memory(1, 0xff, 0, base, offset);
  }
  /** `lock dec qword [base + offset]` */
  lockDecrement(base: number, offset: number): void {
    this.byte(0xf0);
    this.#memory(1, 0xff, 1, base, offset);
  }
  /** `lock cmpxchg [base + offset], src`: stores if rax is there, else loads it into rax. */
  compareExchange(base: number, offset: number, src: number): void {
    this.byte(0xf0);
    this.#memory(1, 0x0fb1, src, base, offset);
  }
  /** `xchg [base + offset], src`, which is locked without saying so */
  exchange(base: number, offset: number, src: number): void {
    this.#memory(1, 0x87, src, base, offset);
  }
  /** `movq xmm, [base + offset]` */
  loadFloat(xmm: number, base: number, offset: number): void {
    this.byte(0xf3);
    this.#memory(0, 0x0f7e, xmm, base, offset);
  }
  /** `movq [base + offset], xmm` */
  storeFloat(base: number, offset: number, xmm: number): void {
    this.byte(0x66);
    this.#memory(0, 0x0fd6, xmm, base, offset);
  }
  /** `movq xmm, src` */
  moveToFloat(xmm: number, src: number): void {
    this.byte(0x66);
    this.#direct(1, 0x0f6e, xmm, src);
  }
  /** `lea dst, [base + offset]` */
  lea(dst: number, base: number, offset: number): void {
    this.#memory(1, 0x8d, dst, base, offset);
  }
  /** `lea dst, [base + index]` */
  leaIndexed(dst: number, base: number, index: number): void {
    this.#indexed(1, 0x8d, dst, base, index);
  }
  /** `mov dst, [data]` */
  loadSlot(dst: number, data: number): void {
    this.#slot(1, 0x8b, dst, data);
  }
  /** `mov [data], src` */
  storeSlot(data: number, src: number): void {
    this.#slot(1, 0x89, src, data);
  }
  /** `lea dst, [data]` */
  slotAddress(dst: number, data: number): void {
    this.#slot(1, 0x8d, dst, data);
  }
  /** `cmp src, [data]` */
  compareSlot(src: number, data: number): void {
    this.#slot(1, 0x3b, src, data);
  }
  /** `jmp [data]` */
  jumpSlot(data: number): void {
    this.#slot(0, 0xff, 4, data);
  }
  /** `call [data]` */
  callSlot(data: number): void {
    this.#slot(0, 0xff, 2, data);
  }
  /** `jmp register` */
  jumpRegister(register: number): void {
    this.#direct(0, 0xff, 4, register);
  }
  /** `call register` */
  callRegister(register: number): void {
    this.#direct(0, 0xff, 2, register);
  }
  /** `jmp [base + offset]` */
  jumpMemory(base: number, offset: number): void {
    this.#memory(0, 0xff, 4, base, offset);
  }
  /** `jmp [base + index]` */
  jumpIndexed(base: number, index: number): void {
    this.#indexed(0, 0xff, 4, base, index);
  }
  /** `call [base + offset]` */
  callMemory(base: number, offset: number): void {
    this.#memory(0, 0xff, 2, base, offset);
  }
  /** `push [base + index * 8 + offset]` */
  pushScaled(base: number, index: number, offset: number): void {
    this.#indexed(0, 0xff, 6, base, index, 3, offset);
  }
  /** `push register` */
  push(register: number): void {
    if (register > 7) this.byte(0x41);
    this.byte(0x50 | register & 7);
  }
  /** `pop register` */
  pop(register: number): void {
    if (register > 7) this.byte(0x41);
    this.byte(0x58 | register & 7);
  }
  /** `add dst, src` */
  add(dst: number, src: number): void {
    this.#direct(1, 0x01, src, dst);
  }
  /** `add dst, immediate`, the immediate in -128 to 127 */
  addImmediate(dst: number, value: number): void {
    this.#direct(1, 0x83, 0, dst);
    this.byte(value);
  }
  /** `add dst, immediate` */
  addLarge(dst: number, value: number): void {
    this.#direct(1, 0x81, 0, dst);
    this.word(value);
  }
  /** `sub dst, immediate`, the immediate in -128 to 127 */
  subtractImmediate(dst: number, value: number): void {
    this.#direct(1, 0x83, 5, dst);
    this.byte(value);
  }
  /** `sub dst, src` */
  subtract(dst: number, src: number): void {
    this.#direct(1, 0x29, src, dst);
  }
  /** `inc register` */
  increment(register: number): void {
    this.#direct(1, 0xff, 0, register);
  }
  /** `inc register32` */
  increment32(register: number): void {
    this.#direct(0, 0xff, 0, register);
  }
  /** `dec register` */
  decrement(register: number): void {
    this.#direct(1, 0xff, 1, register);
  }
  /** `dec register32` */
  decrement32(register: number): void {
    this.#direct(0, 0xff, 1, register);
  }
  /** `xor dst32, src32` */
  xor32(dst: number, src: number): void {
    this.#direct(0, 0x31, src, dst);
  }
  /** `and dst32, [base + offset]` */
  andMemory32(dst: number, base: number, offset: number): void {
    this.#memory(0, 0x23, dst, base, offset);
  }
  /** `and dst, [base + offset]` */
  andMemory(dst: number, base: number, offset: number): void {
    this.#memory(1, 0x23, dst, base, offset);
  }
  /** `imul dst, [base + offset]` */
  multiplyMemory(dst: number, base: number, offset: number): void {
    this.#memory(1, 0x0faf, dst, base, offset);
  }
  /** `imul dst32, src32` */
  multiply32(dst: number, src: number): void {
    this.#direct(0, 0x0faf, dst, src);
  }
  /** `shl register, count` */
  shiftLeft(register: number, count: number): void {
    this.#direct(1, 0xc1, 4, register);
    this.byte(count);
  }
  /** `shr register, count` */
  shiftRight(register: number, count: number): void {
    this.#direct(1, 0xc1, 5, register);
    this.byte(count);
  }
  /** `shr register32, count` */
  shiftRight32(register: number, count: number): void {
    this.#direct(0, 0xc1, 5, register);
    this.byte(count);
  }
  /** `and register32, immediate` */
  andImmediate32(register: number, value: number): void {
    this.#direct(0, 0x81, 4, register);
    this.word(value);
  }
  /** `cmp register, [base + index * 8 + offset]` */
  compareScaled(register: number, base: number, index: number, offset: number): void {
    this.#indexed(1, 0x3b, register, base, index, 3, offset);
  }
  /** `cmp register, immediate` */
  compareImmediate(register: number, value: number): void {
    this.#direct(1, 0x81, 7, register);
    this.word(value);
  }
  /** `test register, register` */
  test(register: number): void {
    this.#direct(1, 0x85, register, register);
  }
  /** `test register32, register32` */
  test32(register: number): void {
    this.#direct(0, 0x85, register, register);
  }
  /** `cmp left, right` */
  compare(left: number, right: number): void {
    this.#direct(1, 0x39, right, left);
  }
  /** `cmp left32, right32` */
  compare32(left: number, right: number): void {
    this.#direct(0, 0x39, right, left);
  }
  /** `cmp register, [base + offset]` */
  compareMemory(register: number, base: number, offset: number): void {
    this.#memory(1, 0x3b, register, base, offset);
  }
  /** `cmp register8, [base + index]` */
  compare8Indexed(register: number, base: number, index: number): void {
    this.#indexed(0, 0x3a, register, base, index);
  }
  /** `cmovcc dst, src` */
  moveIf(condition: number, dst: number, src: number): void {
    this.#direct(1, 0x0f40 | condition, dst, src);
  }
  /** `jcc label` */
  jumpIf(condition: number, label: Label): void {
    this.byte(0x0f);
    this.byte(0x80 | condition);
    this.toLabel(REL32, label);
    this.word(0);
  }
  /** `jmp label` */
  jump(label: Label): void {
    this.byte(0xe9);
    this.toLabel(REL32, label);
    this.word(0);
  }
  /** `call label` */
  call(label: Label): void {
    this.byte(0xe8);
    this.toLabel(REL32, label);
    this.word(0);
  }
  /** `lea dst, [label]` */
  labelAddress(dst: number, label: Label): void {
    this.#begin(1, 0x8d, dst, 0, 0, 5);
    this.toLabel(REL32, label);
    this.word(0);
  }
  /** `syscall`, which overwrites rax, rcx and r11 */
  systemCall(): void {
    this.byte(0x0f);
    this.byte(0x05);
  }
  /** `ret` */
  ret(): void {
    this.byte(0xc3);
  }
  /** `mov dst, fs:[0]`: the address of the thread's control block, unique among live threads. */
  threadPointer(dst: number): void {
    this.byte(0x64);
    this.byte(dst > 7 ? 0x4c : 0x48);
    this.byte(0x8b);
    this.byte(0x04 | (dst & 7) << 3);
    this.byte(0x25);
    this.word(0);
  }

  /** See {@linkcode Code.patch}. */
  protected override patch(code: DataView, at: number, _kind: FixupKind, distance: number): void {
    code.setInt32(at, distance - 4, true); // it counts from the next instruction, which follows the field
  }

  /** Prefix, opcode and the byte that names the registers; what follows is up to the caller. */
  #begin(wide: number, opcode: number, reg: number, index: number, base: number, registers: number): void {
    this.room();
    const { bytes } = this;
    let at = this.length;
    const rex = 0x40 | wide << 3 | (reg & 8) >> 1 | (index & 8) >> 2 | base >> 3;
    if (rex !== 0x40) bytes[at++] = rex;
    if (opcode > 0xff) bytes[at++] = opcode >> 8;
    bytes[at] = opcode;
    bytes[at + 1] = registers | (reg & 7) << 3;
    this.length = at + 2;
  }

  #direct(wide: number, opcode: number, reg: number, rm: number): void {
    this.#begin(wide, opcode, reg, 0, rm, 0xc0 | rm & 7);
  }

  #memory(wide: number, opcode: number, reg: number, base: number, offset: number): void {
    const mode = modeFor(base, offset);
    this.#begin(wide, opcode, reg, 0, base, mode << 6 | base & 7);
    if ((base & 7) === RSP) this.byte(0x24);
    this.#offset(mode, offset);
  }

  #indexed(wide: number, opcode: number, reg: number, base: number, index: number, scale = 0, offset = 0): void {
    const mode = modeFor(base, offset);
    this.#begin(wide, opcode, reg, index, base, mode << 6 | RSP);
    this.byte(scale << 6 | (index & 7) << 3 | base & 7);
    this.#offset(mode, offset);
  }

  #slot(wide: number, opcode: number, reg: number, data: number): void {
    this.#begin(wide, opcode, reg, 0, 0, 5);
    this.toData(REL32, data);
    this.word(0);
  }

  #offset(mode: number, offset: number): void {
    if (mode === 1) this.byte(offset);
    else if (mode === 2) this.word(offset);
  }
}

/** Returns the form of an operand's offset: none (0), one byte (1) or four (2). */
function modeFor(base: number, offset: number): number {
  if (offset === 0 && (base & 7) !== RBP) return 0;
  return offset >= -128 && offset < 128 ? 1 : 2;
}
