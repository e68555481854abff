import type { Code, Label } from "../asm/code.ts";
import type { SystemCall } from "./routine.ts";

/**
 * Instructions that both processors have, for functions that are hot or have
 * no room for a {@linkcode Routine}'s frame: such a function is written once,
 * with the registers below, and is as short as if it were written for the
 * processor.
 *
 * ```
 *              x86-64                      AArch64
 * arguments    rdi rsi rdx rcx r8 r9       x0 … x7
 * scratch      rax r10 r11                 x17 x9 x10
 * extra        r8 r9                       x11 x12
 * saved        rbx r12 r13 r14 rbp         x19 … x23
 * result       rax, which is scratch[0]    x0, which is arguments[0]
 * ```
 *
 * On AArch64, x16 belongs to the instructions themselves: several of those
 * below are two or three there, and keep a value in it between them.
 */
export interface Machine extends Code {
  /** The registers of integer arguments, in order; at least six. */
  readonly arguments: readonly number[];
  /** Three registers that hold no argument and that calls change. The first may hold an address to jump to. */
  readonly scratch: readonly number[];
  /** Two more. Where they are among the arguments, who changes them must keep them. */
  readonly extra: readonly number[];
  /** Five registers that calls preserve, and so must the function. */
  readonly saved: readonly number[];
  /** The register of a result. */
  readonly result: number;
  /** The stack pointer. */
  readonly stack: number;

  /** Makes a frame with room for so many bytes, from which calls may be made, and returns where in it they begin. */
  openFrame(size: number): number;
  /** Ends a frame of that size. */
  closeFrame(size: number): void;
  /** Offset, from the stack pointer, of the first argument on the stack, in a frame of that size; without one: before. */
  incoming(size?: number): number;
  /** Sets a register to where the caller goes on. Valid only before a frame is made. */
  returnAddress(to: number): void;

  /** `to = from` */
  mov(to: number, from: number): void;
  /** `to = from`, 32 bits. Clears the upper half of the register. */
  mov32(to: number, from: number): void;
  /** Sets a register to a 32-bit number. */
  movImmediate32(to: number, value: number): void;
  /** Sets a register to 0. */
  zero(register: number): void;
  /** `to = ` the address of the thread's control block. */
  threadPointer(to: number): void;
  /** Copies the bits of a register to a floating-point register. */
  moveToFloat(float: number, from: number): void;

  /** Loads 64 bits at an offset of an address. */
  load(to: number, base: number, offset?: number): void;
  /** Loads 32 bits, and clears the upper half of the register. */
  load32(to: number, base: number, offset?: number): void;
  /** Loads 16 bits, and clears the rest of the register. */
  load16(to: number, base: number): void;
  /** Loads 8 bits, and clears the rest of the register. */
  load8(to: number, base: number): void;
  /** Loads 8 bits at the sum of an address and an index. */
  load8Indexed(to: number, base: number, index: number): void;
  /** Loads 64 bits at an offset that may be large. */
  loadFar(to: number, base: number, offset: number): void;
  /** Loads 64 bits at the sum of an address and an index, which may change the address. */
  loadSum(to: number, base: number, index: number): void;
  /** Loads 64 bits so many bytes before an address. */
  loadBefore(to: number, base: number, distance: number): void;
  /** Loads an element of an array of 64-bit values, which begins at an offset that is a multiple of 4096. */
  loadElement(to: number, base: number, index: number, offset: number): void;
  /** Loads 64 bits. Afterwards this thread sees everything that was stored before the value was published. */
  acquire(to: number, base: number, offset?: number): void;
  /** Stores 64 bits. */
  store(base: number, offset: number, from: number): void;
  /** Stores 32 bits. */
  store32(base: number, offset: number, from: number): void;
  /** Stores 16 bits. */
  store16(base: number, offset: number, from: number): void;
  /** Stores 8 bits. On x86-64, `from` must be one of the first eight registers. */
  store8(base: number, offset: number, from: number): void;
  /** Stores 8 bits at the sum of an address and an index. On x86-64, `from` must be rax, rcx, rdx or rbx. */
  store8Indexed(base: number, index: number, from: number): void;
  /** Stores 64 bits so that a thread that sees them also sees everything stored before. */
  publish(base: number, from: number): void;
  /** Stores 64 bits and returns the old ones, in one step for other threads. May change `from` and scratch. */
  exchange64(to: number, base: number, from: number): void;
  /** Stores 64 bits if the old ones are those in scratch[0], which may change,, in one step for other threads; otherwise goes to a label. */
  replace64(base: number, to: number, failed: Label): void;
  /** Stores all registers of integer arguments in a block, in order. */
  storeIntegers(base: number, offset: number): void;
  /** Loads them. */
  loadIntegers(base: number, offset: number): void;
  /** Stores the lower 64 bits of the eight registers of floating-point arguments in a block. */
  storeFloats(base: number, offset: number): void;
  /** Loads them. */
  loadFloats(base: number, offset: number): void;

  /** Sets a register to the address of a label. */
  labelAddress(to: number, label: Label): void;
  /** Sets a register to the address of a slot. */
  slotAddress(to: number, slot: number): void;
  /** `to = ` what a slot holds. */
  loadSlot(to: number, slot: number): void;
  /** Stores 64 bits in a slot. */
  storeSlot(slot: number, from: number): void;

  /** `to = base + offset` */
  lea(to: number, base: number, offset: number): void;
  /** `to = base + index` */
  sum(to: number, base: number, index: number): void;
  /** `to = base + (index << shift)`; the index has 32 bits, and `to` is neither. */
  element(to: number, base: number, index: number, shift: number): void;
  /** `to -= other` */
  difference(to: number, other: number): void;
  /** `to -= 1` */
  decrement(register: number): void;
  /** `to -= 1`, 32 bits. */
  decrement32(register: number): void;
  /** `to ^= other`, 32 bits. */
  xor32(to: number, other: number): void;
  /** `to *= other`, 32 bits. */
  multiply32(to: number, other: number): void;
  /** `to &= ` 32 bits in memory. */
  andMemory32(to: number, base: number, offset: number): void;
  /** `to = ` the `count` bits of a register from bit `first` on. */
  extractBits(to: number, from: number, first: number, count: number): void;
  /** Limits a 32-bit number to a maximum. */
  atMost32(value: number, most: number): void;

  /** Goes to a label. */
  jump(label: Label): void;
  /** Goes to the address in a register. */
  jumpRegister(register: number): void;
  /** Goes to the address in a slot. */
  jumpSlot(slot: number): void;
  /** Goes to the address in memory, at an offset that may be large. */
  jumpMemory(base: number, offset: number): void;
  /** Goes to the address in memory, at the sum of an address and an index. */
  jumpIndexed(base: number, index: number): void;
  /** Calls a function of this image. */
  call(label: Label): void;
  /** Calls the function whose address is in a register. */
  callRegister(register: number): void;
  /** Calls the function whose address is in a slot. */
  callSlot(slot: number): void;
  /** Calls the function whose address is in memory, at an offset that may be large. */
  callMemory(base: number, offset: number): void;
  /** Calls a function of the kernel. The arguments are in their registers. */
  callKernel(number: SystemCall): void;
  /** Returns. */
  ret(): void;

  /** Goes to a label if 64 bits are 0. */
  jumpIfZero(register: number, label: Label): void;
  /** Goes to a label if 64 bits are not 0. */
  jumpIfNotZero(register: number, label: Label): void;
  /** Goes to a label if 32 bits are 0. */
  jumpIfZero32(register: number, label: Label): void;
  /** Goes to a label if 32 bits are not 0. */
  jumpIfNotZero32(register: number, label: Label): void;
  /** Goes to a label if bit 31 is set. */
  jumpIfNegative32(register: number, label: Label): void;
  /** Goes to a label if two registers are equal. */
  jumpIfEqual(left: number, right: number, label: Label): void;
  /** Goes to a label if two registers differ. */
  jumpIfDifferent(left: number, right: number, label: Label): void;
  /** Goes to a label if the lower halves of two registers are equal. */
  jumpIfEqual32(left: number, right: number, label: Label): void;
  /** Goes to a label if the lower halves of two registers differ. */
  jumpIfDifferent32(left: number, right: number, label: Label): void;
  /** Goes to a label if one register is below another, compared without signs. */
  jumpIfBelow(left: number, right: number, label: Label): void;
  /** Goes to a label if a register is a number or below it, compared without signs. */
  jumpIfAtMost(register: number, value: number, label: Label): void;
  /** Goes to a label if a register differs from 64 bits in memory. */
  jumpUnlessMemory(register: number, base: number, offset: number, label: Label): void;
  /** Goes to a label if a register is below 64 bits in memory, compared without signs. */
  jumpIfBelowMemory(register: number, base: number, offset: number, label: Label): void;
  /** Goes to a label if a register differs from what a slot holds. */
  jumpUnlessSlot(register: number, slot: number, label: Label): void;
  /** Goes to a label if a register differs from an element of an array; see {@linkcode Machine.loadElement}. */
  jumpUnlessElement(register: number, base: number, index: number, offset: number, label: Label): void;
  /** Goes to a label if the lowest byte of a register differs from the one at the sum of an address and an index. */
  jumpUnlessByte(register: number, base: number, index: number, label: Label): void;
}
