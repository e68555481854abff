import type { Code, Label } from "../asm/code.ts";

/**
 * Instructions that both assemblers have under one name, for leaf functions
 * that are hot: code in them is written once, with registers handed in, and is
 * as short as if it were written for the processor.
 */
export interface Machine extends Code {
  /** Loads 64 bits at an offset of an address. */
  load(to: number, base: number, offset?: number): void;
  /** Loads 32 bits, and clears the upper half of the register. */
  load32(to: number, base: number, offset?: number): void;
  /** Loads 64 bits at an offset that may be large. On AArch64, `base` must be x16 then. */
  loadFar(to: number, base: number, offset: number): void;
  /** Loads 64 bits at the sum of an address and an index, which may change. */
  loadSum(to: number, base: number, index: number): void;
  /** Loads 64 bits so many bytes before an address. */
  loadBefore(to: number, base: number, distance: number): void;
  /** `to = base + index`. On x86-64, `to` must be `index`. */
  sum(to: number, base: number, index: number): void;
  /** Sets a register to the address of a slot. */
  slotAddress(to: number, slot: number): void;
  /** Sets a register to a 32-bit number. */
  movImmediate32(to: number, value: number): void;
  /** Sets a register to 0. */
  zero(register: number): void;
  /** Goes to a label. */
  jump(label: Label): void;
  /** Goes to the address in a register. */
  jumpRegister(register: number): void;
  /** Goes to a label if 64 bits are 0. */
  jumpIfZero(register: number, label: Label): void;
  /** Goes to a label if 32 bits are 0. */
  jumpIfZero32(register: number, label: Label): void;
  /** Goes to a label if 32 bits are not 0. */
  jumpIfNotZero32(register: number, label: Label): void;
  /** Goes to a label if bit 31 is set. */
  jumpIfNegative32(register: number, label: Label): void;
  /** Returns. */
  ret(): void;
}

/** The registers of functions `(handle, name) -> address`. */
export interface LookupRegisters {
  /** The arguments, and the result. */
  readonly handle: number;
  readonly name: number;
  readonly result: number;
  /** The address of the function's {@linkcode LOOKUP} record. */
  readonly lookup: number;
  /** Where finding a name leaves the address of the entry. */
  readonly entry: number;
  /** Offset of the value in an entry, from that address. */
  readonly valueAt: number;
  /** Holds a function to jump to, or a dispatch table. */
  readonly table: number;
}
