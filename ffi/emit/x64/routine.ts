import { BELOW, EQUAL, NOT_EQUAL, R10, R12, R13, R14, R15, RAX, RBX, RSP, SIGN, type X64 } from "../../asm/x64.ts";
import type { Routine, Variable } from "../routine.ts";
import { ARGUMENTS } from "./stub.ts";

/** Registers of the variables. */
const HOME: readonly number[] = [RBX, R12, R13, R14, R15];

/** See {@linkcode Routine}. Of the registers that calls change, only rax is used between instructions. */
export function x64Routine(code: X64): Routine {
  let frame = 0;
  function enter(cells: number): void {
    frame = 8 * (cells + cells % 2); // five registers and the return address keep the stack aligned
    for (const register of HOME) code.push(register);
    if (frame > 0) code.addLarge(RSP, -frame);
  }
  const home = (variable: Variable) => HOME[variable];
  return {
    begin(name, cells = 0) {
      code.begin(name);
      const label = code.here();
      enter(cells);
      return label;
    },
    finish(result) {
      if (typeof result === "number") code.movImmediate32(RAX, result);
      else code.mov(RAX, home(result.variable));
      if (frame > 0) code.addLarge(RSP, frame);
      for (const register of HOME.toReversed()) code.pop(register);
      code.ret();
    },
    argument: (to, index) => code.mov(home(to), ARGUMENTS[index]),
    copy: (to, from) => code.mov(home(to), home(from)),
    set: (to, value) => code.movImmediate32(home(to), value),
    add: (to, value) => code.addLarge(home(to), value),
    addVariable: (to, other) => code.add(home(to), home(other)),
    subtractVariable: (to, other) => code.subtract(home(to), home(other)),
    bits(to, from, first, count) {
      code.mov(home(to), home(from));
      code.shiftLeft(home(to), 64 - first - count);
      code.shiftRight(home(to), 64 - count);
    },
    threadPointer: (to) => code.threadPointer(home(to)),
    decrement: (to) => code.decrement(home(to)),
    slotAddress: (to, slot) => code.slotAddress(home(to), slot),
    labelAddress: (to, label) => code.labelAddress(home(to), label),
    loadSlot: (to, slot) => code.loadSlot(home(to), slot),
    load: (to, base, offset = 0) => code.load(home(to), home(base), offset),
    load32: (to, base, offset = 0) => code.load32(home(to), home(base), offset),
    load8: (to, base) => code.load8(home(to), home(base)),
    store: (base, offset, from) => code.store(home(base), offset, home(from)),
    store32: (base, offset, from) => code.store32(home(base), offset, home(from)),
    publish: (base, from) => code.store(home(base), 0, home(from)),
    acquire: (to, base) => code.load(home(to), home(base)), // every load on x86-64 is an acquire
    exchange(base, from, to, failed) {
      code.mov(RAX, home(from));
      code.compareExchange(home(base), 0, home(to));
      code.jumpIf(NOT_EQUAL, failed);
    },
    loadCell: (to, cell) => code.load(home(to), RSP, 8 * cell),
    storeCell: (cell, from) => code.store(RSP, 8 * cell, home(from)),
    cellAddress: (to, cell) => code.lea(home(to), RSP, 8 * cell),
    pass: (index, from) => code.mov(ARGUMENTS[index], home(from)),
    passNumber: (index, value) => code.movImmediate32(ARGUMENTS[index], value),
    passCell: (index, cell) => code.lea(ARGUMENTS[index], RSP, 8 * cell),
    call: (label) => code.call(label),
    callAt: (base, offset) => code.callMemory(home(base), offset),
    systemCall(number) {
      code.mov(R10, ARGUMENTS[3]); // the kernel takes the fourth argument there
      code.movImmediate32(RAX, number.x86_64);
      code.systemCall();
    },
    result: (to) => code.mov32(home(to), RAX),
    wideResult: (to) => code.mov(home(to), RAX),
    jump: (label) => code.jump(label),
    ifZero(variable, label) {
      code.test(home(variable));
      code.jumpIf(EQUAL, label);
    },
    ifNotZero(variable, label) {
      code.test(home(variable));
      code.jumpIf(NOT_EQUAL, label);
    },
    ifNegative32(variable, label) {
      code.test32(home(variable));
      code.jumpIf(SIGN, label);
    },
    ifEqual(left, right, label) {
      code.compare(home(left), home(right));
      code.jumpIf(EQUAL, label);
    },
    ifNotEqual(left, right, label) {
      code.compare(home(left), home(right));
      code.jumpIf(NOT_EQUAL, label);
    },
    ifBelow(left, right, label) {
      code.compare(home(left), home(right));
      code.jumpIf(BELOW, label);
    },
    label: () => code.label(),
    place: (label) => code.place(label),
    here: () => code.here(),
  };
}
