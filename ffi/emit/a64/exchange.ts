import { type A64, NE, SP, X16, X17 } from "../../asm/a64.ts";
import type { Label } from "../../asm/code.ts";
import type { Exchange, ExchangeJumpSpec, ExchangersSpec, StandInPlaces, StructExchange } from "../emitter.ts";

/** Registers that hold the table, the handle and its replacement, and copied bytes. */
const TABLE = X17, OURS = 9, THEIRS = 10, BYTES = 11;
/** Bytes of the saved registers at the bottom of a frame. */
const SAVED = 16;

/**
 * Writes functions that replace the first argument by the object it stands for
 * and call the same function of its table.
 */
export function writeExchangers(code: A64, { count, object, functions }: ExchangersSpec): void {
  for (let index = 0; index < count; index++) {
    code.alignEntry();
    exchangeFirst(code, X16, object);
    code.load(X16, X16, functions + 8 * index);
    code.jumpRegister(X16);
  }
}

/** Writes a function that also replaces one handle in the arguments. */
export function writeExchangeJump(code: A64, spec: ExchangeJumpSpec, refused?: Label): void {
  const go = code.label(), absent = code.label(), { holder, exchange } = spec;
  if ("inDispatchTable" in holder) {
    code.load(X16, 0);
    code.loadFar(TABLE, X16, holder.inDispatchTable);
  } else {
    exchangeFirst(code, TABLE, holder);
  }
  code.jumpIfZero(spec.argument, go);
  if ("size" in exchange) {
    callWithCopy(code, exchange, spec.target, spec.argument, absent, spec.absent.refusesNull ?? false);
  } else {
    code.mov(OURS, spec.argument);
    writeExchange(code, exchange, absent);
    code.mov(spec.argument, THEIRS);
  }
  code.place(go);
  code.load(X16, TABLE, spec.target);
  code.jumpRegister(X16);
  code.place(absent);
  returnAbsent(code, spec, refused);
}

function returnAbsent(code: A64, { absent, exchange }: ExchangeJumpSpec, refused?: Label): void {
  if ("size" in exchange) code.leave(frameOf(exchange.size));
  if (refused !== undefined) return code.jump(refused);
  if (absent.clear !== undefined) {
    code.movImmediate32(OURS, 0);
    code.store32(OURS, absent.clear);
  }
  code.movImmediate32(0, absent.result);
  code.ret();
}

function frameOf(size: number): number {
  return SAVED + (size + 15 & ~15);
}

/** Loads the table into a register, and the object for the first argument into x0. */
function exchangeFirst(code: A64, to: number, { table, handle }: StandInPlaces): void {
  code.load(to, 0, table);
  code.load(0, 0, handle);
}

/** Loads the replacement of the handle. Continues at `absent` if there is none. */
function writeExchange(code: A64, exchange: Exchange, absent: Label): void {
  if ("inObject" in exchange) code.load(THEIRS, OURS, exchange.inObject);
  else if ("inTable" in exchange) code.load(THEIRS, TABLE, exchange.inTable);
  else {
    code.load(THEIRS, TABLE, exchange.owner.inTable);
    code.load(BYTES, OURS, exchange.owner.inObject);
    code.compare(THEIRS, BYTES);
    code.jumpIf(NE, absent);
    code.load(THEIRS, TABLE, exchange.offsetInTable);
    code.addRegister(THEIRS, THEIRS, OURS);
    code.load(THEIRS, THEIRS);
    code.jumpIfZero(THEIRS, absent);
  }
}

/** Calls the target with a copy of the struct in which the handle is replaced, and returns. */
function callWithCopy(
  code: A64,
  { size, handle, typeAt, kinds }: StructExchange,
  target: number,
  argument: number,
  absent: Label,
  refusesNull: boolean,
): void {
  const ready = code.label(), exits = { ready, absent, none: refusesNull ? absent : ready };
  code.enter(frameOf(size));
  for (let at = 0; at < size; at += 8) {
    code.load(BYTES, argument, at);
    code.store(BYTES, SP, SAVED + at);
  }
  code.add(argument, SP, SAVED);
  for (const { type, exchange } of kinds) {
    const other = code.label();
    if (type !== undefined) {
      code.load32(OURS, SP, SAVED + typeAt);
      code.movImmediate32(THEIRS, type);
      code.compare32(OURS, THEIRS);
      code.jumpIf(NE, other);
    }
    exchangeIn(code, SAVED + handle, exchange, exits);
    code.place(other);
  }
  code.place(ready);
  code.load(X16, TABLE, target);
  code.callRegister(X16);
  code.leave(frameOf(size));
  code.ret();
}

interface Exits {
  readonly ready: Label;
  readonly absent: Label;
  /** For NULL. */
  readonly none: Label;
}

/** Replaces the handle in the copy on the stack. */
function exchangeIn(code: A64, handle: number, exchange: Exchange, { ready, absent, none }: Exits): void {
  code.load(OURS, SP, handle);
  code.jumpIfZero(OURS, none);
  writeExchange(code, exchange, absent);
  code.store(THEIRS, SP, handle);
  code.jump(ready);
}
