import { type A64, EQ, LO, NE, SP, X16 } from "../../asm/a64.ts";
import type { Routine, Variable } from "../routine.ts";

/** Register of the first variable. The others follow. x24 completes the pairs. */
const HOME = 19;
/** Bytes of the frame below the cells: the frame record, three pairs of registers. */
const SAVED = 64;
/** A register for numbers that do not fit in an instruction. */
const NUMBER = 9;

/** See {@linkcode Routine}. */
export function a64Routine(code: A64): Routine {
  let frame = 0;
  function enter(cells: number): void {
    frame = SAVED + 8 * (cells + cells % 2);
    code.enter(frame);
    for (let pair = 0; pair < 3; pair++) code.storePair(HOME + 2 * pair, HOME + 2 * pair + 1, SP, 16 + 16 * pair);
  }
  const home = (variable: Variable) => HOME + variable;
  return {
    begin(name, cells = 0) {
      code.begin(name);
      const label = code.here();
      enter(cells);
      return label;
    },
    finish(result) {
      if (typeof result === "number") code.movImmediate32(0, result);
      else code.mov(0, home(result.variable));
      for (let pair = 0; pair < 3; pair++) code.loadPair(HOME + 2 * pair, HOME + 2 * pair + 1, SP, 16 + 16 * pair);
      code.leave(frame);
      code.ret();
    },
    argument: (to, index) => code.mov(home(to), index),
    copy: (to, from) => code.mov(home(to), home(from)),
    set: (to, value) => code.movImmediate32(home(to), value),
    add(to, value) {
      code.movImmediate32(NUMBER, value);
      code.addRegister(home(to), home(to), NUMBER);
    },
    addVariable: (to, other) => code.addRegister(home(to), home(to), home(other)),
    subtractVariable: (to, other) => code.subtractRegister(home(to), home(to), home(other)),
    bits: (to, from, first, count) => code.extractBits(home(to), home(from), first, count),
    threadPointer: (to) => code.threadPointer(home(to)),
    decrement: (to) => code.subtract(home(to), home(to), 1),
    slotAddress: (to, slot) => code.slotAddress(home(to), slot),
    labelAddress: (to, label) => code.labelAddress(home(to), label),
    loadSlot: (to, slot) => code.loadSlot(home(to), slot),
    load: (to, base, offset = 0) => code.load(home(to), home(base), offset),
    load32: (to, base, offset = 0) => code.load32(home(to), home(base), offset),
    load8: (to, base) => code.load8(home(to), home(base)),
    store: (base, offset, from) => code.store(home(from), home(base), offset),
    store32: (base, offset, from) => code.store32(home(from), home(base), offset),
    publish: (base, from) => code.storeRelease(home(from), home(base)),
    acquire: (to, base) => code.loadAcquire(home(to), home(base)),
    exchange(base, from, to, failed) {
      const retry = code.here();
      code.loadExclusive(NUMBER, home(base));
      code.compare(NUMBER, home(from));
      code.jumpIf(NE, failed);
      code.storeExclusive(NUMBER, home(to), home(base));
      code.jumpIfNotZero32(NUMBER, retry);
    },
    loadCell: (to, cell) => code.load(home(to), SP, SAVED + 8 * cell),
    storeCell: (cell, from) => code.store(home(from), SP, SAVED + 8 * cell),
    cellAddress: (to, cell) => code.add(home(to), SP, SAVED + 8 * cell),
    pass: (index, from) => code.mov(index, home(from)),
    passNumber: (index, value) => code.movImmediate32(index, value),
    passCell: (index, cell) => code.add(index, SP, SAVED + 8 * cell),
    call: (label) => code.call(label),
    callAt(base, offset) {
      code.load(X16, home(base), offset);
      code.callRegister(X16);
    },
    systemCall(number) {
      code.movImmediate32(8, number.aarch64);
      code.systemCall();
    },
    result: (to) => code.mov32(home(to), 0),
    wideResult: (to) => code.mov(home(to), 0),
    jump: (label) => code.jump(label),
    ifZero: (variable, label) => code.jumpIfZero(home(variable), label),
    ifNotZero(variable, label) {
      const zero = code.label();
      code.jumpIfZero(home(variable), zero);
      code.jump(label);
      code.place(zero);
    },
    ifNegative32: (variable, label) => code.jumpIfNegative32(home(variable), label),
    ifEqual(left, right, label) {
      code.compare(home(left), home(right));
      code.jumpIf(EQ, label);
    },
    ifNotEqual(left, right, label) {
      code.compare(home(left), home(right));
      code.jumpIf(NE, label);
    },
    ifBelow(left, right, label) {
      code.compare(home(left), home(right));
      code.jumpIf(LO, label);
    },
    label: () => code.label(),
    place: (label) => code.place(label),
    here: () => code.here(),
  };
}
