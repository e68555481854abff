import { NOT_EQUAL, R10, R11, RAX, RDI, RSP, type X64 } from "../../asm/x64.ts";
import type { Label } from "../../asm/code.ts";
import type { Exchange, ExchangeJumpSpec, ExchangersSpec, StandInPlaces, StructExchange } from "../emitter.ts";
import { ARGUMENTS } from "./stub.ts";

/**
 * Writes functions that replace the first argument by the object it stands for
 * and call the same function of its table.
 */
export function writeExchangers(code: X64, { count, object, functions }: ExchangersSpec): void {
  for (let index = 0; index < count; index++) {
    code.alignEntry();
    exchangeFirst(code, object);
    code.jumpMemory(RAX, functions + 8 * index);
  }
}

/** Writes a function that also replaces one handle in the arguments. */
export function writeExchangeJump(code: X64, spec: ExchangeJumpSpec, refused?: Label): void {
  const go = code.label(), absent = code.label(), argument = ARGUMENTS[spec.argument], { holder, exchange } = spec;
  if ("inDispatchTable" in holder) {
    code.load(RAX, RDI);
    code.load(RAX, RAX, holder.inDispatchTable);
  } else {
    exchangeFirst(code, holder);
  }
  code.jumpIfZero(argument, go);
  if ("size" in exchange) {
    callWithCopy(code, exchange, spec.target, argument, absent, spec.absent.refusesNull ?? false);
  } else {
    code.mov(R10, argument);
    writeExchange(code, exchange, absent);
    code.mov(argument, R11);
  }
  code.place(go);
  code.jumpMemory(RAX, spec.target);
  code.place(absent);
  returnAbsent(code, spec, refused);
}

function returnAbsent(code: X64, { absent, exchange }: ExchangeJumpSpec, refused?: Label): void {
  if ("size" in exchange) code.addImmediate(RSP, frameOf(exchange.size));
  if (refused !== undefined) return code.jump(refused);
  code.movImmediate32(RAX, absent.result);
  if (absent.clear !== undefined) {
    code.xor32(R11, R11);
    code.store32(ARGUMENTS[absent.clear], 0, R11);
  }
  code.ret();
}

/** Bytes of a frame that keeps the stack aligned at the call. */
function frameOf(size: number): number {
  return size % 16 === 8 ? size : size + 8;
}

/** Loads the table into rax, and the object for the first argument into rdi. */
function exchangeFirst(code: X64, { table, handle }: StandInPlaces): void {
  code.load(RAX, RDI, table);
  code.load(RDI, RDI, handle);
}

/** Loads the replacement of the handle in r10 into r11. Continues at `absent` if there is none. */
function writeExchange(code: X64, exchange: Exchange, absent: Label): void {
  if ("inObject" in exchange) code.load(R11, R10, exchange.inObject);
  else if ("inTable" in exchange) code.load(R11, RAX, exchange.inTable);
  else {
    code.load(R11, RAX, exchange.owner.inTable);
    code.compareMemory(R11, R10, exchange.owner.inObject);
    code.jumpIf(NOT_EQUAL, absent);
    code.load(R11, RAX, exchange.offsetInTable);
    code.add(R11, R10);
    code.load(R11, R11);
    code.jumpIfZero(R11, absent);
  }
}

/** Calls the target with a copy of the struct in which the handle is replaced, and returns. */
function callWithCopy(
  code: X64,
  { size, handle, typeAt, kinds }: StructExchange,
  target: number,
  argument: number,
  absent: Label,
  refusesNull: boolean,
): void {
  const ready = code.label(), exits = { ready, absent, none: refusesNull ? absent : ready };
  code.subtractImmediate(RSP, frameOf(size));
  for (let at = 0; at < size; at += 8) {
    code.load(R10, argument, at);
    code.store(RSP, at, R10);
  }
  code.mov(argument, RSP);
  for (const { type, exchange } of kinds) {
    const other = code.label();
    if (type !== undefined) {
      code.load32(R10, RSP, typeAt);
      code.movImmediate32(R11, type);
      code.compare32(R10, R11);
      code.jumpIf(NOT_EQUAL, other);
    }
    exchangeIn(code, handle, exchange, exits);
    code.place(other);
  }
  code.place(ready);
  code.callMemory(RAX, target);
  code.addImmediate(RSP, frameOf(size));
  code.ret();
}

interface Exits {
  readonly ready: Label;
  readonly absent: Label;
  /** For NULL. */
  readonly none: Label;
}

/** Replaces the handle in the copy on the stack. */
function exchangeIn(code: X64, handle: number, exchange: Exchange, { ready, absent, none }: Exits): void {
  code.load(R10, RSP, handle);
  code.jumpIfZero(R10, none);
  writeExchange(code, exchange, absent);
  code.store(RSP, handle, R11);
  code.jump(ready);
}
