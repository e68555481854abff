import type { Label } from "../asm/code.ts";

/**
 * One of the five variables of a routine. Each lies in a register that calls
 * leave alone.
 */
export type Variable = 0 | 1 | 2 | 3 | 4;

/**
 * A function in words that both machines have: what is not hot is written once
 * in them, instead of once for each processor. Offsets are multiples of the
 * width of what they lead to, and no greater than 16 KiB.
 */
export interface Routine {
  /** Begins an exported function, with so many 8-byte cells on the stack. The label is for {@linkcode Routine.call}. */
  begin(name: string, cells?: number): Label;
  /** Ends the function: returns a 32-bit value or a variable. */
  finish(result: number | { readonly variable: Variable }): void;
  /** The argument at an index, 0 to 5; only before the first call. */
  argument(to: Variable, index: number): void;
  /** `to = from` */
  copy(to: Variable, from: Variable): void;
  /** `to = value`, from 0 to 2³² - 1. */
  set(to: Variable, value: number): void;
  /** `to += value`, from 0 to 2³¹ - 1. */
  add(to: Variable, value: number): void;
  /** `to += other` */
  addVariable(to: Variable, other: Variable): void;
  /** `to -= 1` */
  decrement(to: Variable): void;
  /** `to = ` what a slot of the image's data holds. */
  loadSlot(to: Variable, slot: number): void;
  /** `to = *(u64 *)(base + offset)` */
  load(to: Variable, base: Variable, offset?: number): void;
  /** `to = *(u32 *)(base + offset)` */
  load32(to: Variable, base: Variable, offset?: number): void;
  /** `to = *(u8 *)base` */
  load8(to: Variable, base: Variable): void;
  /** `*(u64 *)(base + offset) = from` */
  store(base: Variable, offset: number, from: Variable): void;
  /** `*(u32 *)(base + offset) = from` */
  store32(base: Variable, offset: number, from: Variable): void;
  /** The same at an address itself, so that a thread that sees it sees everything stored before, too. */
  publish(base: Variable, from: Variable): void;
  /** `*(u64 *)base = to` if `from` is there, all at once for other threads; else goes on at a label. */
  exchange(base: Variable, from: Variable, to: Variable, failed: Label): void;
  /** `to = *(u64 *)base`, so that what was stored before it was published there is seen from now on. */
  acquire(to: Variable, base: Variable): void;
  /** `to = cell` */
  loadCell(to: Variable, cell: number): void;
  /** `cell = from` */
  storeCell(cell: number, from: Variable): void;
  /** `to = &cell` */
  cellAddress(to: Variable, cell: number): void;
  /** Gives the next call an argument. */
  pass(index: number, from: Variable): void;
  /** Gives the next call a number, from 0 to 2³² - 1. */
  passNumber(index: number, value: number): void;
  /** Gives the next call the address of a cell. */
  passCell(index: number, cell: number): void;
  /** Calls a function of this image. */
  call(label: Label): void;
  /** Calls the function whose address is in memory at `base + offset`. */
  callAt(base: Variable, offset: number): void;
  /** `to = ` what the last call returned: a VkResult, as 32 bits without a sign. */
  result(to: Variable): void;
  /** The same for what fills a register. */
  wideResult(to: Variable): void;
  /** Goes on at a label. */
  jump(label: Label): void;
  /** Goes on there if a variable is 0. */
  ifZero(variable: Variable, label: Label): void;
  /** Goes on there if a variable is not 0. */
  ifNotZero(variable: Variable, label: Label): void;
  /** Goes on there if bit 31 of a variable is set: it is a negative VkResult. */
  ifNegative32(variable: Variable, label: Label): void;
  /** Goes on there if two variables are equal. */
  ifEqual(left: Variable, right: Variable, label: Label): void;
  /** Goes on there if they are not. */
  ifNotEqual(left: Variable, right: Variable, label: Label): void;
  /** Goes on there if one variable is below another, without signs. */
  ifBelow(left: Variable, right: Variable, label: Label): void;
  /** A label to be placed later. */
  label(): Label;
  /** Puts a label here. */
  place(label: Label): void;
  /** A label that is here. */
  here(): Label;
}
