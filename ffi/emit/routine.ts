import type { Label } from "../asm/code.ts";
import type { Machine } from "./machine.ts";

/** One of the five variables of a routine. Each is in a register that calls preserve. */
export type Variable = 0 | 1 | 2 | 3 | 4;

/** The number of a function of the kernel on each processor. */
export interface SystemCall {
  readonly x86_64: number;
  readonly aarch64: number;
}

/**
 * A small instruction set that both processors have. Code that is not hot is
 * written once in these instructions, instead of once for each processor.
 * Offsets are multiples of the width of the access, and at most 16 KiB.
 */
export interface Routine {
  /** Begins an exported function, with so many 8-byte cells on the stack. The label is for {@linkcode Routine.call}. */
  begin(name: string, cells?: number): Label;
  /** Ends the function: returns a 32-bit value or a variable. */
  finish(result: number | { readonly variable: Variable }): void;
  /** Reads the argument at an index, 0 to 5. Valid only before the first call. */
  argument(to: Variable, index: number): void;
  /** `to = from` */
  copy(to: Variable, from: Variable): void;
  /** `to = value`, from 0 to 2³² - 1. */
  set(to: Variable, value: number): void;
  /** `to += value`, from 0 to 2³¹ - 1. */
  add(to: Variable, value: number): void;
  /** `to += other` */
  addVariable(to: Variable, other: Variable): void;
  /** `to -= other` */
  subtractVariable(to: Variable, other: Variable): void;
  /** `to = ` the `count` bits of a variable from bit `first` on. */
  bits(to: Variable, from: Variable, first: number, count: number): void;
  /** `to = ` the thread pointer, unique among the threads that live. */
  threadPointer(to: Variable): void;
  /** `to -= 1` */
  decrement(to: Variable): void;
  /** `to = ` the address of a slot of the image's data. */
  slotAddress(to: Variable, slot: number): void;
  /** `to = ` the address of a label. */
  labelAddress(to: Variable, label: Label): void;
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
  /** Stores at an address so that a thread that sees the new value also sees everything stored before. */
  publish(base: Variable, from: Variable): void;
  /** `*(u64 *)base = to` if the old value is `from`, in one step for other threads; otherwise goes to the label. */
  exchange(base: Variable, from: Variable, to: Variable, failed: Label): void;
  /** `to = *(u64 *)base`. Afterwards this thread sees everything that was stored before the value was published. */
  acquire(to: Variable, base: Variable): void;
  /** `to = cell` */
  loadCell(to: Variable, cell: number): void;
  /** `cell = from` */
  storeCell(cell: number, from: Variable): void;
  /** `to = &cell` */
  cellAddress(to: Variable, cell: number): void;
  /** Sets an argument of the next call. */
  pass(index: number, from: Variable): void;
  /** Sets an argument of the next call to a number, from 0 to 2³² - 1. */
  passNumber(index: number, value: number): void;
  /** Sets an argument of the next call to the address of a cell. */
  passCell(index: number, cell: number): void;
  /** Calls a function of this image. */
  call(label: Label): void;
  /** Calls the function whose address is in memory at `base + offset`. */
  callAt(base: Variable, offset: number): void;
  /** Calls a function of the kernel, with up to six arguments that were passed. */
  systemCall(number: SystemCall): void;
  /** `to = ` the VkResult of the last call, as 32 bits without a sign. */
  result(to: Variable): void;
  /** `to = ` the 64-bit result of the last call. */
  wideResult(to: Variable): void;
  /** Goes to a label. */
  jump(label: Label): void;
  /** Goes to a label if a variable is 0. */
  ifZero(variable: Variable, label: Label): void;
  /** Goes to a label if a variable is not 0. */
  ifNotZero(variable: Variable, label: Label): void;
  /** Goes to a label if bit 31 of a variable is set, that is, for a negative VkResult. */
  ifNegative32(variable: Variable, label: Label): void;
  /** Goes to a label if two variables are equal. */
  ifEqual(left: Variable, right: Variable, label: Label): void;
  /** Goes to a label if two variables differ. */
  ifNotEqual(left: Variable, right: Variable, label: Label): void;
  /** Goes to a label if one variable is below another, compared without signs. */
  ifBelow(left: Variable, right: Variable, label: Label): void;
  /** Makes a label for later. */
  label(): Label;
  /** Places a label here. */
  place(label: Label): void;
  /** Makes a label here. */
  here(): Label;
}

/**
 * Makes the instructions of a processor. Of the registers that calls change,
 * only the first of {@linkcode Machine.scratch} is used between instructions.
 */
export function routineOf(code: Machine): Routine {
  const { saved: home, arguments: integers, stack, scratch: [value] } = code, kept = 8 * home.length;
  let size = 0, at = 0;
  const cellAt = (cell: number) => at + kept + 8 * cell;
  return {
    begin(name, cells = 0) {
      code.begin(name);
      const label = code.here();
      size = kept + 8 * cells;
      at = code.openFrame(size);
      home.forEach((register, index) => code.store(stack, at + 8 * index, register));
      return label;
    },
    finish(result) {
      if (typeof result === "number") code.movImmediate32(code.result, result);
      else code.mov(code.result, home[result.variable]);
      home.forEach((register, index) => code.load(register, stack, at + 8 * index));
      code.closeFrame(size);
      code.ret();
    },
    argument: (to, index) => code.mov(home[to], integers[index]),
    copy: (to, from) => code.mov(home[to], home[from]),
    set: (to, number) => code.movImmediate32(home[to], number),
    add: (to, number) => code.lea(home[to], home[to], number),
    addVariable: (to, other) => code.sum(home[to], home[to], home[other]),
    subtractVariable: (to, other) => code.difference(home[to], home[other]),
    bits: (to, from, first, count) => code.extractBits(home[to], home[from], first, count),
    threadPointer: (to) => code.threadPointer(home[to]),
    decrement: (to) => code.decrement(home[to]),
    slotAddress: (to, slot) => code.slotAddress(home[to], slot),
    labelAddress: (to, label) => code.labelAddress(home[to], label),
    loadSlot: (to, slot) => code.loadSlot(home[to], slot),
    load: (to, base, offset = 0) => code.load(home[to], home[base], offset),
    load32: (to, base, offset = 0) => code.load32(home[to], home[base], offset),
    load8: (to, base) => code.load8(home[to], home[base]),
    store: (base, offset, from) => code.store(home[base], offset, home[from]),
    store32: (base, offset, from) => code.store32(home[base], offset, home[from]),
    publish: (base, from) => code.publish(home[base], home[from]),
    acquire: (to, base) => code.acquire(home[to], home[base]),
    exchange(base, from, to, failed) {
      code.mov(value, home[from]);
      code.replace64(home[base], home[to], failed);
    },
    loadCell: (to, cell) => code.load(home[to], stack, cellAt(cell)),
    storeCell: (cell, from) => code.store(stack, cellAt(cell), home[from]),
    cellAddress: (to, cell) => code.lea(home[to], stack, cellAt(cell)),
    pass: (index, from) => code.mov(integers[index], home[from]),
    passNumber: (index, number) => code.movImmediate32(integers[index], number),
    passCell: (index, cell) => code.lea(integers[index], stack, cellAt(cell)),
    call: (label) => code.call(label),
    callAt: (base, offset) => code.callMemory(home[base], offset),
    systemCall: (number) => code.callKernel(number),
    result: (to) => code.mov32(home[to], code.result),
    wideResult: (to) => code.mov(home[to], code.result),
    jump: (label) => code.jump(label),
    ifZero: (variable, label) => code.jumpIfZero(home[variable], label),
    ifNotZero: (variable, label) => code.jumpIfNotZero(home[variable], label),
    ifNegative32: (variable, label) => code.jumpIfNegative32(home[variable], label),
    ifEqual: (left, right, label) => code.jumpIfEqual(home[left], home[right], label),
    ifNotEqual: (left, right, label) => code.jumpIfDifferent(home[left], home[right], label),
    ifBelow: (left, right, label) => code.jumpIfBelow(home[left], home[right], label),
    label: () => code.label(),
    place: (label) => code.place(label),
    here: () => code.here(),
  };
}
