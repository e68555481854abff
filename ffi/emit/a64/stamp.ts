import { type A64, LS, SP, X16 } from "../../asm/a64.ts";
import type { StampSpec } from "../emitter.ts";
import { isCounted } from "../layout.ts";

const KEY = 9, COUNT = 10, OUTPUT = 11, ROOM = 15;

/**
 * Writes a terminator: calls the command in the dispatch table of the first
 * argument, then stores that table's address in word 0 of the returned handles.
 */
export function writeStamp(code: A64, spec: StampSpec): void {
  const done = code.label(), uncounted = code.label();
  if (isCounted(spec)) code.jumpIfZero(spec.argument - 1, uncounted);
  writeCall(code, spec);
  if (spec.result) code.jumpIfNegative32(0, done);
  code.load(KEY, KEY);
  code.jumpIfZero(OUTPUT, done);
  if (spec.handles === "one") stampElement(code);
  else stampMany(code, spec, done);
  code.place(done);
  code.ret();
  code.place(uncounted);
  code.movImmediate32(0, spec.failure);
  code.ret();
}

/**
 * Calls the hidden command. Afterwards KEY is the first argument, OUTPUT the
 * output, COUNT the pointer to the count, ROOM its earlier value.
 */
function writeCall(code: A64, spec: StampSpec): void {
  code.enter(48);
  code.storePair(0, spec.handles === "allocated" ? 1 : spec.argument - 1, SP, 16);
  code.store(spec.argument, SP, 32);
  if (isCounted(spec)) {
    code.load32(X16, spec.argument - 1);
    code.store(X16, SP, 40);
  }
  code.load(X16, 0);
  code.loadFar(X16, X16, spec.hiddenOffset);
  code.callRegister(X16);
  code.loadPair(KEY, COUNT, SP, 16);
  code.load(OUTPUT, SP, 32);
  if (isCounted(spec)) code.load(ROOM, SP, 40);
  code.leave(48);
}

function stampMany(code: A64, spec: StampSpec, done: number): void {
  code.load32(COUNT, COUNT, spec.lengthAt ?? 0);
  if (isCounted(spec)) atMost(code, COUNT, ROOM); // a driver may report more elements than there was room for
  const next = code.here();
  code.jumpIfZero32(COUNT, done);
  if (spec.groupPlaces) stampGroup(code, spec.groupPlaces);
  else stampElement(code);
  code.subtract32(COUNT, COUNT, 1);
  code.jump(next);
}

/** Limits a 32-bit number to a maximum. */
function atMost(code: A64, value: number, most: number): void {
  const fits = code.label();
  code.compare32(value, most);
  code.jumpIf(LS, fits);
  code.mov32(value, most);
  code.place(fits);
}

/** Stores the key in the object of the handle at OUTPUT unless that is NULL, and advances OUTPUT. */
function stampElement(code: A64): void {
  const skip = code.label();
  code.load(12, OUTPUT);
  code.add(OUTPUT, OUTPUT, 8);
  code.jumpIfZero(12, skip);
  code.store(KEY, 12);
  code.place(skip);
}

/** Stamps one group at OUTPUT, and advances OUTPUT. */
function stampGroup(code: A64, group: StampSpec["groupPlaces"] & object): void {
  const done = code.label(), skip = code.label();
  code.load32(12, OUTPUT, group.count);
  code.movImmediate32(14, group.most);
  atMost(code, 12, 14);
  code.add(13, OUTPUT, group.handles);
  const next = code.here();
  code.jumpIfZero32(12, done);
  code.load(14, 13);
  code.jumpIfZero(14, skip);
  code.store(KEY, 14);
  code.place(skip);
  code.add(13, 13, 8);
  code.subtract32(12, 12, 1);
  code.jump(next);
  code.place(done);
  code.add(OUTPUT, OUTPUT, group.size);
}
