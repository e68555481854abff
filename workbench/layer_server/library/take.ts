import type { Variable } from "../../../ffi/emit/routine.ts";
import { HEAD, SLOT, SLOTS, STATE } from "../layout.ts";
import { count, KERNEL, ownData, type Parts, PRIVATE, setNumber } from "./parts.ts";

/** The number of a waiting thread's looks for a slot: at once, and then after a tenth of a second each. */
const AT_ONCE = 100, LATER = 50;

/**
 * Takes the first free slot. A thread that finds none waits, about five seconds at most: then the call goes on by itself
 * and is counted as lost. `turns` is a cell that is free until then.
 */
export function writeTake(parts: Parts, turns: number): void {
  const { code } = parts, slot = 1, value = 2, other = 3, left = 4;
  const found = code.label(), taken = code.label(), sleep = code.label(), lost = code.label();
  code.set(value, 0);
  code.storeCell(turns, value);
  const again = code.here();
  setNumber(parts, slot, parts.place!.channel + BigInt(HEAD.size));
  code.set(left, SLOTS);
  const next = code.here();
  code.set(value, STATE.free);
  code.set(other, STATE.taken);
  code.exchange(slot, value, other, taken);
  code.jump(found);
  code.place(taken);
  code.add(slot, SLOT.size);
  code.decrement(left);
  code.ifNotZero(left, next);
  code.loadCell(value, turns);
  code.add(value, 1);
  code.storeCell(turns, value);
  code.set(other, AT_ONCE);
  code.ifBelow(other, value, sleep);
  code.systemCall(KERNEL.yield);
  code.jump(again);
  code.place(sleep);
  code.set(other, AT_ONCE + LATER);
  code.ifBelow(other, value, lost);
  ownData(parts, other);
  code.add(other, PRIVATE.slice);
  code.passNumber(0, 0);
  code.passNumber(1, 0);
  code.pass(2, other);
  code.passNumber(3, 0);
  code.passNumber(4, 0);
  code.systemCall(KERNEL.ppoll);
  code.jump(again);
  code.place(lost);
  writeLost(parts, value, other, left);
  code.finish(0);
  code.place(found);
  writeRaise(parts, slot, [value, other, left]);
}

/** Counts a call that no layer sees. */
export function writeLost(parts: Parts, value: Variable, other: Variable, spare: Variable): void {
  setNumber(parts, other, parts.place!.channel + BigInt(HEAD.lost));
  count(parts.code, other, value, spare);
}

/** Lets the server look at a slot: raises the number of slots in use, unless it is high enough. */
export function writeRaise(
  parts: Parts,
  slot: Variable,
  [used, at, old]: readonly [Variable, Variable, Variable],
): void {
  const { code } = parts, known = code.label(), raise = code.label();
  setNumber(parts, at, parts.place!.channel + BigInt(HEAD.size));
  code.copy(used, slot);
  code.subtractVariable(used, at);
  code.bits(used, used, Math.log2(SLOT.size), Math.log2(SLOTS) + 1);
  code.add(used, 1);
  setNumber(parts, at, parts.place!.channel + BigInt(HEAD.mostSlots));
  const again = code.here();
  code.acquire(old, at);
  code.ifBelow(old, used, raise);
  code.jump(known);
  code.place(raise);
  code.exchange(at, old, used, again);
  code.place(known);
}
