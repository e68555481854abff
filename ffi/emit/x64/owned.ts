import { EQUAL, NOT_EQUAL, R11, RAX, RDI, RSI, RSP, type X64 } from "../../asm/x64.ts";
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
function leaveOthers(code: X64, owner: number, others: Label): void {
  code.threadPointer(RAX);
  code.compareSlot(RAX, owner);
  code.jumpIf(NOT_EQUAL, others);
}

function clearError(code: X64, { error, noError }: OwnerSlots): void {
  code.movImmediate32(RAX, noError);
  code.storeSlot(error, RAX);
}

/** Writes a jump through the owner's table, or through that of all other threads. */
export function writeTableJump(code: X64, { owner, table, elsewhere, index }: TableJumpSlots): void {
  const others = code.label();
  leaveOthers(code, owner, others);
  code.loadSlot(RAX, table);
  code.jumpMemory(RAX, 8 * index);
  code.place(others);
  code.loadSlot(RAX, elsewhere);
  code.jumpMemory(RAX, 8 * index);
}

/** Writes the route of a command: see {@linkcode RouteSlots}. */
export function writeRoute(code: X64, slots: RouteSlots): void {
  const others = code.label(), own = code.label();
  leaveOthers(code, slots.owner, others);
  if (slots.own !== undefined) {
    code.mov(RAX, RDI);
    code.shiftRight(RAX, 32);
    code.jumpIf(EQUAL, own);
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
export function writeTakeError(code: X64, { owner, error, noError, slot }: TakeErrorSlots): void {
  const others = code.label(), done = code.label();
  leaveOthers(code, owner, others);
  code.subtractImmediate(RSP, 8);
  code.callSlot(slot);
  code.addImmediate(RSP, 8);
  code.movImmediate32(R11, noError);
  code.compare32(RAX, R11);
  code.jumpIf(NOT_EQUAL, done);
  code.loadSlot(RAX, error);
  code.storeSlot(error, R11);
  code.place(done);
  code.ret();
  code.place(others);
  code.jumpSlot(slot);
}

/** Writes a name lookup: see {@linkcode NameLookupSlots}. */
export function writeNameLookup(code: X64, slots: NameLookupSlots): void {
  const nothing = code.label(), look = code.label(), miss = code.label(), others = code.label();
  code.jumpIfZero(RDI, nothing);
  leaveOthers(code, slots.owner, look);
  clearError(code, slots);
  code.place(look);
  code.push(RDI);
  code.callSlot(slots.before);
  code.pop(RDI);
  code.mov(RSI, RDI);
  code.slotAddress(R11, slots.record);
  writeFind(code, miss);
  code.load(RAX, REGISTERS.entry, REGISTERS.valueAt);
  code.ret();
  code.place(miss);
  leaveOthers(code, slots.owner, others);
  code.jumpSlot(slots.slot);
  code.place(others);
  code.jumpSlot(slots.elsewhere);
  code.place(nothing);
  code.xor32(RAX, RAX);
  code.ret();
}

/** Writes a function that returns values: see {@linkcode AnswerSlots}. */
export function writeAnswer(code: X64, { before, answers, slot }: AnswerSlots): void {
  code.push(RDI);
  code.callSlot(before);
  code.pop(RDI);
  for (const { argument, value } of answers) {
    const next = code.label();
    if (argument !== undefined) {
      code.movImmediate32(RAX, argument);
      code.compare32(RDI, RAX);
      code.jumpIf(NOT_EQUAL, next);
    }
    code.loadSlot(RAX, value);
    code.ret();
    code.place(next);
  }
  code.jumpSlot(slot);
}

/** Writes a function that calls another for a NULL, and returns a failure. */
export function writeRefusal(code: X64, { slot, failure }: RefusalSlots): void {
  code.subtractImmediate(RSP, 8);
  code.xor32(RDI, RDI);
  code.callSlot(slot);
  code.addImmediate(RSP, 8);
  code.movImmediate32(RAX, failure);
  code.ret();
}

/** Writes a function that returns a value for NULL and jumps to an address for all other arguments. */
export function writeDefaulted(code: X64, { value, slot, second }: DefaultedSlots): void {
  const other = code.label();
  code.test(RDI);
  code.jumpIf(NOT_EQUAL, other);
  if (second !== undefined) {
    code.movImmediate32(RAX, second);
    code.compare32(RSI, RAX);
    code.jumpIf(NOT_EQUAL, other);
  }
  code.loadSlot(RAX, value);
  code.ret();
  code.place(other);
  code.jumpSlot(slot);
}
