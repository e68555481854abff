import type { Label } from "../asm/code.ts";
import type {
  AnswerSlots,
  DefaultedSlots,
  NameLookupSlots,
  OwnerSlots,
  RefusalSlots,
  RouteSlots,
  TableJumpSlots,
  TakeErrorSlots,
} from "./emitter.ts";
import { LOOKUP_TABLE } from "./layout.ts";
import { lookupRegisters, writeFind } from "./lookup.ts";
import type { Machine } from "./machine.ts";

/** Continues at a label on every thread except the owner. */
function leaveOthers(code: Machine, owner: number, others: Label): void {
  const [thread] = code.scratch;
  code.threadPointer(thread);
  code.jumpUnlessSlot(thread, owner, others);
}

function clearError(code: Machine, { error, noError }: OwnerSlots): void {
  const [value] = code.scratch;
  code.movImmediate32(value, noError);
  code.storeSlot(error, value);
}

/** Writes a jump through the owner's table, or through that of all other threads. */
export function writeTableJump(code: Machine, { owner, table, elsewhere, index }: TableJumpSlots): void {
  const others = code.label(), [tableAt] = code.scratch;
  leaveOthers(code, owner, others);
  code.loadSlot(tableAt, table);
  code.jumpMemory(tableAt, 8 * index);
  code.place(others);
  code.loadSlot(tableAt, elsewhere);
  code.jumpMemory(tableAt, 8 * index);
}

/** Writes the route of a command: see {@linkcode RouteSlots}. */
export function writeRoute(code: Machine, slots: RouteSlots): void {
  const others = code.label(), own = code.label(), [upper] = code.scratch;
  leaveOthers(code, slots.owner, others);
  if (slots.own !== undefined) {
    code.extractBits(upper, code.arguments[0], 32, 32);
    code.jumpIfZero(upper, own);
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
export function writeTakeError(code: Machine, { owner, error, noError, slot }: TakeErrorSlots): void {
  const others = code.label(), done = code.label(), [, none] = code.scratch;
  leaveOthers(code, owner, others);
  code.openFrame(0);
  code.callSlot(slot);
  code.closeFrame(0);
  code.movImmediate32(none, noError);
  code.jumpIfDifferent32(code.result, none, done);
  code.loadSlot(code.result, error);
  code.storeSlot(error, none);
  code.place(done);
  code.ret();
  code.place(others);
  code.jumpSlot(slot);
}

/** Writes a name lookup: see {@linkcode NameLookupSlots}. */
export function writeNameLookup(code: Machine, slots: NameLookupSlots): void {
  const nothing = code.label(), look = code.label(), miss = code.label(), others = code.label();
  const [argument, name] = code.arguments, { record, entry } = lookupRegisters(code);
  code.jumpIfZero(argument, nothing);
  leaveOthers(code, slots.owner, look);
  clearError(code, slots);
  code.place(look);
  callKeeping(code, slots.before);
  code.mov(name, argument);
  code.slotAddress(record, slots.record);
  writeFind(code, miss);
  code.load(code.result, entry, LOOKUP_TABLE.entries + LOOKUP_TABLE.value);
  code.ret();
  code.place(miss);
  leaveOthers(code, slots.owner, others);
  code.jumpSlot(slots.slot);
  code.place(others);
  code.jumpSlot(slots.elsewhere);
  code.place(nothing);
  code.zero(code.result);
  code.ret();
}

/** Writes a function that returns values: see {@linkcode AnswerSlots}. */
export function writeAnswer(code: Machine, { before, answers, slot }: AnswerSlots): void {
  const [wanted] = code.scratch;
  callKeeping(code, before);
  for (const { argument, value } of answers) {
    const next = code.label();
    if (argument !== undefined) {
      code.movImmediate32(wanted, argument);
      code.jumpIfDifferent32(code.arguments[0], wanted, next);
    }
    code.loadSlot(code.result, value);
    code.ret();
    code.place(next);
  }
  code.jumpSlot(slot);
}

/** Calls a function without arguments and preserves the first argument. */
function callKeeping(code: Machine, slot: number): void {
  const [argument] = code.arguments, at = code.openFrame(8);
  code.store(code.stack, at, argument);
  code.callSlot(slot);
  code.load(argument, code.stack, at);
  code.closeFrame(8);
}

/** Writes a function that calls another for a NULL, and returns a failure. */
export function writeRefusal(code: Machine, { slot, failure }: RefusalSlots): void {
  code.openFrame(0);
  code.zero(code.arguments[0]);
  code.callSlot(slot);
  code.closeFrame(0);
  code.movImmediate32(code.result, failure);
  code.ret();
}

/** Writes a function that returns a value for NULL and jumps to an address for all other arguments. */
export function writeDefaulted(code: Machine, { value, slot, second }: DefaultedSlots): void {
  const other = code.label(), [wanted] = code.scratch;
  code.jumpIfNotZero(code.arguments[0], other);
  if (second !== undefined) {
    code.movImmediate32(wanted, second);
    code.jumpIfDifferent32(code.arguments[1], wanted, other);
  }
  code.loadSlot(code.result, value);
  code.ret();
  code.place(other);
  code.jumpSlot(slot);
}
