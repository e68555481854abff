import { type A64, NE, SP, X16, X17 } from "../../asm/a64.ts";
import type { Label } from "../../asm/code.ts";
import type {
  AnswerSlots,
  DefaultedSlots,
  NameLookupSlots,
  OwnerSlots,
  RefusalSlots,
  RouteSlots,
  TableJumpSlots,
  TakeErrorSlots,
} from "../emitter.ts";
import { REGISTERS, writeFind } from "./lookup.ts";

/** Continues at a label on every thread except the owner. */
function leaveOthers(code: A64, owner: number, others: Label): void {
  code.threadPointer(X16);
  code.loadSlot(X17, owner);
  code.compare(X16, X17);
  code.jumpIf(NE, others);
}

function clearError(code: A64, { error, noError }: OwnerSlots): void {
  code.slotAddress(X16, error);
  code.movImmediate32(X17, noError);
  code.store(X17, X16);
}

/** Writes a jump through the owner's table, or through that of all other threads. */
export function writeTableJump(code: A64, { owner, table, elsewhere, index }: TableJumpSlots): void {
  const others = code.label();
  leaveOthers(code, owner, others);
  jumpThrough(code, table, index);
  code.place(others);
  jumpThrough(code, elsewhere, index);
}

function jumpThrough(code: A64, table: number, index: number): void {
  code.loadSlot(X16, table);
  code.loadFar(X16, X16, 8 * index);
  code.jumpRegister(X16);
}

/** Writes the route of a command: see {@linkcode RouteSlots}. */
export function writeRoute(code: A64, slots: RouteSlots): void {
  const others = code.label(), own = code.label();
  leaveOthers(code, slots.owner, others);
  if (slots.own !== undefined) {
    code.shiftRight(X16, 0, 32);
    code.jumpIfZero(X16, own);
  }
  clearError(code, slots);
  code.jumpSlot(slots.slot);
  if (slots.own !== undefined) {
    code.place(own);
    code.jumpSlot(slots.own);
  }
  code.place(others);
  code.jumpSlot(slots.elsewhere);
}

/**
 * Writes a function that returns the error of another function or, if there is
 * none, the owner's error, and clears it.
 */
export function writeTakeError(code: A64, { owner, error, noError, slot }: TakeErrorSlots): void {
  const others = code.label(), done = code.label();
  leaveOthers(code, owner, others);
  code.enter(16);
  call(code, slot);
  code.leave(16);
  code.movImmediate32(X17, noError);
  code.compare32(0, X17);
  code.jumpIf(NE, done);
  code.slotAddress(X16, error);
  code.load(0, X16);
  code.store(X17, X16);
  code.place(done);
  code.ret();
  code.place(others);
  code.jumpSlot(slot);
}

/** Writes a name lookup: see {@linkcode NameLookupSlots}. */
export function writeNameLookup(code: A64, slots: NameLookupSlots): void {
  const nothing = code.label(), look = code.label(), miss = code.label(), others = code.label();
  code.jumpIfZero(0, nothing);
  leaveOthers(code, slots.owner, look);
  clearError(code, slots);
  code.place(look);
  callKeeping(code, slots.before);
  code.mov(1, 0);
  code.slotAddress(X17, slots.record);
  writeFind(code, miss);
  code.load(0, REGISTERS.entry, REGISTERS.valueAt);
  code.ret();
  code.place(miss);
  leaveOthers(code, slots.owner, others);
  code.jumpSlot(slots.slot);
  code.place(others);
  code.jumpSlot(slots.elsewhere);
  code.place(nothing);
  code.ret(); // x0 is 0
}

/** Writes a function that returns values: see {@linkcode AnswerSlots}. */
export function writeAnswer(code: A64, { before, answers, slot }: AnswerSlots): void {
  callKeeping(code, before);
  for (const { argument, value } of answers) {
    const next = code.label();
    if (argument !== undefined) {
      code.movImmediate32(X16, argument);
      code.compare32(0, X16);
      code.jumpIf(NE, next);
    }
    code.loadSlot(0, value);
    code.ret();
    code.place(next);
  }
  code.jumpSlot(slot);
}

/** Calls a function without arguments and preserves the first argument. */
function callKeeping(code: A64, slot: number): void {
  code.enter(32);
  code.store(0, SP, 16);
  call(code, slot);
  code.load(0, SP, 16);
  code.leave(32);
}

/** Writes a function that calls another for a NULL, and returns a failure. */
export function writeRefusal(code: A64, { slot, failure }: RefusalSlots): void {
  code.enter(16);
  code.movImmediate32(0, 0);
  call(code, slot);
  code.leave(16);
  code.movImmediate32(0, failure);
  code.ret();
}

function call(code: A64, slot: number): void {
  code.loadSlot(X16, slot);
  code.callRegister(X16);
}

/** Writes a function that returns a value for NULL and jumps to an address for all other arguments. */
export function writeDefaulted(code: A64, { value, slot, second }: DefaultedSlots): void {
  const none = code.label(), other = code.label();
  code.jumpIfZero(0, none);
  code.place(other);
  code.jumpSlot(slot);
  code.place(none);
  if (second !== undefined) {
    code.movImmediate32(X16, second);
    code.compare32(1, X16);
    code.jumpIf(NE, other);
  }
  code.loadSlot(0, value);
  code.ret();
}
