import type { Label } from "../asm/code.ts";
import type { Exchange, ExchangeJumpSpec, ExchangersSpec, StandInPlaces, StructExchange } from "./emitter.ts";
import type { Machine } from "./machine.ts";

/** The registers of an exchange: the table, our handle, and the one that replaces it. */
interface Registers {
  readonly table: number;
  readonly ours: number;
  readonly theirs: number;
}

function registersOf({ scratch: [table, ours, theirs] }: Machine): Registers {
  return { table, ours, theirs };
}

/**
 * Writes functions that replace the first argument by the object it stands for
 * and call the same function of its table.
 */
export function writeExchangers(code: Machine, { count, object, functions }: ExchangersSpec): void {
  for (let index = 0; index < count; index++) {
    code.alignEntry();
    exchangeFirst(code, object);
    code.jumpMemory(registersOf(code).table, functions + 8 * index);
  }
}

/** Writes a function that also replaces one handle in the arguments. */
export function writeExchangeJump(code: Machine, spec: ExchangeJumpSpec, refused?: Label): void {
  const go = code.label(),
    absent = code.label(),
    { holder, exchange } = spec,
    { table, ours, theirs } = registersOf(code);
  const argument = code.arguments[spec.argument];
  if ("inDispatchTable" in holder) {
    code.load(table, code.arguments[0]);
    code.loadFar(table, table, holder.inDispatchTable);
  } else {
    exchangeFirst(code, holder);
  }
  code.jumpIfZero(argument, go);
  if ("size" in exchange) {
    callWithCopy(code, exchange, spec.target, argument, absent, spec.absent.refusesNull ?? false);
  } else {
    code.mov(ours, argument);
    writeExchange(code, exchange, absent);
    code.mov(argument, theirs);
  }
  code.place(go);
  code.jumpMemory(table, spec.target);
  code.place(absent);
  returnAbsent(code, spec, refused);
}

function returnAbsent(code: Machine, { absent, exchange }: ExchangeJumpSpec, refused?: Label): void {
  const [zero] = code.scratch;
  if ("size" in exchange) code.closeFrame(exchange.size);
  if (refused !== undefined) return code.jump(refused);
  if (absent.clear !== undefined) {
    code.zero(zero);
    code.store32(code.arguments[absent.clear], 0, zero);
  }
  code.movImmediate32(code.result, absent.result);
  code.ret();
}

/** Loads the table, and the object for the first argument. */
function exchangeFirst(code: Machine, { table, handle }: StandInPlaces): void {
  const [first] = code.arguments;
  code.load(registersOf(code).table, first, table);
  code.load(first, first, handle);
}

/** Loads the replacement of the handle. Continues at `absent` if there is none. */
function writeExchange(code: Machine, exchange: Exchange, absent: Label): void {
  const { table, ours, theirs } = registersOf(code);
  if ("inObject" in exchange) code.load(theirs, ours, exchange.inObject);
  else if ("inTable" in exchange) code.load(theirs, table, exchange.inTable);
  else {
    code.load(theirs, table, exchange.owner.inTable);
    code.jumpUnlessMemory(theirs, ours, exchange.owner.inObject, absent);
    code.load(theirs, table, exchange.offsetInTable);
    code.loadSum(theirs, theirs, ours);
    code.jumpIfZero(theirs, absent);
  }
}

/** Calls the target with a copy of the struct in which the handle is replaced, and returns. */
function callWithCopy(
  code: Machine,
  { size, handle, typeAt, kinds }: StructExchange,
  target: number,
  argument: number,
  absent: Label,
  refusesNull: boolean,
): void {
  const ready = code.label(), exits = { ready, absent, none: refusesNull ? absent : ready };
  const { table, ours, theirs } = registersOf(code), copy = code.openFrame(size);
  for (let at = 0; at < size; at += 8) {
    code.load(ours, argument, at);
    code.store(code.stack, copy + at, ours);
  }
  code.lea(argument, code.stack, copy);
  for (const { type, exchange } of kinds) {
    const other = code.label();
    if (type !== undefined) {
      code.load32(ours, code.stack, copy + typeAt);
      code.movImmediate32(theirs, type);
      code.jumpIfDifferent32(ours, theirs, other);
    }
    exchangeIn(code, copy + handle, exchange, exits);
    code.place(other);
  }
  code.place(ready);
  code.callMemory(table, target);
  code.closeFrame(size);
  code.ret();
}

interface Exits {
  readonly ready: Label;
  readonly absent: Label;
  /** For NULL. */
  readonly none: Label;
}

/** Replaces the handle in the copy on the stack. */
function exchangeIn(code: Machine, handle: number, exchange: Exchange, { ready, absent, none }: Exits): void {
  const { ours, theirs } = registersOf(code);
  code.load(ours, code.stack, handle);
  code.jumpIfZero(ours, none);
  writeExchange(code, exchange, absent);
  code.store(code.stack, handle, theirs);
  code.jump(ready);
}
