import { CROSSING, CROSSING_STATE, GATE, GATE_SHUT, LEAVE, THUNK, WAKE } from "./layout.ts";
import type { Routine, Variable } from "./routine.ts";

/** Operations of futex, for memory of one process. */
const FUTEX_WAIT_PRIVATE = 128, FUTEX_WAKE_PRIVATE = 129;
/** The most threads to wake. */
const ALL = 0x7fff_ffff;
/** The values of {@linkcode GATE.bell}. */
const QUIET = 0, RUNG = 1, END = 2;

/**
 * Writes the functions with which threads let an isolate's thread answer their
 * calls and wait for the answer. All words are changed as a futex requires:
 * first the word, then the call that wakes the waiting threads.
 */
export function writeGate(code: Routine): void {
  writeWait(code);
  writeKeeper(code);
  writeTake(code);
  writeSettle(code);
  writeOrder(code);
  writeShut(code);
}

/** Lets the kernel wait while a word is `value`, or wake so many waiting threads. `number` is overwritten. */
function futex(
  code: Routine,
  at: { gate: Variable; word: Variable; number: Variable },
  operation: number,
  value: number,
) {
  code.load(at.number, at.gate, GATE.futex);
  code.pass(0, at.number);
  code.pass(1, at.word);
  code.passNumber(2, operation);
  code.passNumber(3, value);
  code.passNumber(4, 0); // no time limit
  code.callAt(at.gate, GATE.syscall);
}

function addressOf(code: Routine, word: Variable, base: Variable, offset: number): void {
  code.copy(word, base);
  code.add(word, offset);
}

/** The kernel's functions that a caller needs, and what the kernel answers when time is over: -110. */
const KERNEL = {
  futex: { x86_64: 202, aarch64: 98 },
  gettid: { x86_64: 186, aarch64: 178 },
  ppoll: { x86_64: 271, aarch64: 73 },
  writev: { x86_64: 20, aarch64: 66 },
} as const;
const TIMED_OUT = 0xffff_ff92, STANDARD_ERROR = 2;
/** Cells of a caller's stack: five `iovec`s, the digits of a number, and the crossing. */
const CELL = { parts: 0, digits: 10, crossing: 12, count: 14 } as const;
/** The digits of the largest number of a thread, and the one of zero. */
const DIGITS = 7, ZERO = 0x30;

/** u32 waitForAnswer(crossing, gate): `CROSSING_STATE.answered` or `.refused`. */
function writeWait(code: Routine): void {
  const crossing = 0, gate = 1, value = 2, word = 3, number = 4, at = { gate, word, number } as const;
  code.begin("waitForAnswer", CELL.count);
  const plain = code.label(), late = code.label();
  const refused = code.label(), rung = code.label(), ordered = code.label(), settled = code.label();
  code.argument(crossing, 0);
  code.argument(gate, 1);
  code.load(value, gate, GATE.carrying); // the isolate's thread waits for this thread
  code.load(word, crossing, CROSSING.thread);
  code.ifEqual(value, word, refused);
  const retry = code.here();
  code.acquire(value, gate);
  code.set(word, GATE_SHUT);
  code.ifEqual(value, word, refused);
  code.store(crossing, CROSSING.next, value);
  code.exchange(gate, value, crossing, retry);
  addressOf(code, word, gate, GATE.bell);
  code.set(value, QUIET);
  code.set(number, RUNG);
  code.exchange(word, value, number, rung);
  futex(code, at, FUTEX_WAKE_PRIVATE, 1);
  code.place(rung);
  addressOf(code, word, crossing, CROSSING.state);
  const wait = code.here();
  code.acquire(value, word);
  code.ifNotZero(value, settled);
  code.load(number, gate, GATE.said);
  code.ifNotZero(number, plain);
  addressOf(code, number, gate, GATE.patience);
  code.pass(0, word);
  code.passNumber(1, FUTEX_WAIT_PRIVATE);
  code.passNumber(2, CROSSING_STATE.waiting);
  code.pass(3, number);
  code.systemCall(KERNEL.futex);
  code.result(number);
  code.set(value, TIMED_OUT);
  code.ifEqual(number, value, late);
  code.jump(wait);
  code.place(plain);
  futex(code, at, FUTEX_WAIT_PRIVATE, CROSSING_STATE.waiting);
  code.jump(wait);
  code.place(late);
  code.storeCell(CELL.crossing, crossing);
  writeSay(code);
  code.loadCell(crossing, CELL.crossing);
  addressOf(code, word, crossing, CROSSING.state);
  code.jump(wait);
  code.place(settled);
  code.set(number, CROSSING_STATE.ordered);
  code.ifEqual(value, number, ordered);
  code.finish({ variable: value });
  code.place(ordered);
  code.load(value, crossing, CROSSING.order);
  code.pass(0, value);
  code.callAt(gate, GATE.invoke);
  code.set(value, CROSSING_STATE.waiting);
  code.publish(word, value);
  futex(code, at, FUTEX_WAKE_PRIVATE, ALL);
  code.jump(wait);
  code.place(refused);
  code.finish(CROSSING_STATE.refused);
}

/**
 * Says once on standard error that a caller (variable 0) has waited long at a gate (variable 1), in one write, unless
 * that would block. All variables but the gate are overwritten.
 */
function writeSay(code: Routine): void {
  const crossing = 0, gate = 1, value = 2, other = 3, spare = 4, said = code.label(), named = code.label();
  addressOf(code, other, gate, GATE.said);
  code.set(value, 0);
  code.set(spare, 1);
  code.exchange(other, value, spare, said);
  code.load(value, crossing, CROSSING.thunk);
  code.load(value, value, THUNK.name);
  code.ifNotZero(value, named);
  code.load(value, gate, GATE.unnamed);
  code.place(named);
  code.load(other, value);
  code.storeCell(CELL.parts + 3, other);
  code.add(value, 8);
  code.storeCell(CELL.parts + 2, value);
  for (const [part, cell] of [[0, 0], [1, 4], [2, 8]]) {
    for (const half of [0, 1]) {
      code.load(value, gate, GATE.sentence + 16 * part + 8 * half);
      code.storeCell(CELL.parts + cell + half, value);
    }
  }
  writeNumber(code);
  addressOf(code, value, gate, GATE.poll);
  code.pass(0, value);
  code.passNumber(1, 1);
  code.add(value, GATE.noTime - GATE.poll);
  code.pass(2, value);
  code.passNumber(3, 0);
  code.passNumber(4, 0);
  code.systemCall(KERNEL.ppoll);
  code.load(value, gate, GATE.poll);
  code.load(other, gate, GATE.polled);
  code.ifNotEqual(value, other, said);
  code.passNumber(0, STANDARD_ERROR);
  code.passCell(1, CELL.parts);
  code.passNumber(2, 5);
  code.systemCall(KERNEL.writev);
  code.place(said);
}

/** Writes the digits of the thread's number to their cells, and says where they begin. Keeps variable 1. */
function writeNumber(code: Routine): void {
  const place = 0, value = 2, other = 3, digit = 4, counted = code.label();
  code.systemCall(KERNEL.gettid);
  code.result(value);
  code.cellAddress(place, CELL.digits);
  for (let power = 10 ** (DIGITS - 1); power >= 1; power /= 10) {
    const next = code.label();
    code.set(digit, ZERO);
    const again = code.here();
    code.set(other, power);
    code.ifBelow(value, other, next);
    code.subtractVariable(value, other);
    code.add(digit, 1);
    code.jump(again);
    code.place(next);
    code.store32(place, 0, digit); // three bytes more, which the next digits overwrite
    code.add(place, 1);
  }
  code.cellAddress(place, CELL.digits);
  code.set(digit, DIGITS);
  const skip = code.here();
  code.load8(value, place);
  code.set(other, ZERO);
  code.ifNotEqual(value, other, counted);
  code.add(place, 1);
  code.decrement(digit);
  code.ifNotZero(digit, skip);
  code.place(counted);
  code.storeCell(CELL.parts + 6, place);
  code.storeCell(CELL.parts + 7, digit);
}

/**
 * void *keepGate(gate): a thread that wakes the isolate whenever a crossing has
 * come. Callers cannot wake it themselves, because they may have blocked the
 * signal.
 */
function writeKeeper(code: Routine): void {
  const gate = 0, value = 1, word = 2, number = 3, at = { gate, word, number } as const;
  code.begin("keepGate");
  code.argument(gate, 0);
  addressOf(code, word, gate, GATE.bell);
  const listen = code.here(), rung = code.label(), leave = code.label();
  code.acquire(value, word);
  code.ifNotZero(value, rung);
  futex(code, at, FUTEX_WAIT_PRIVATE, QUIET);
  code.jump(listen);
  code.place(rung);
  code.set(number, END);
  code.ifEqual(value, number, leave);
  code.set(number, QUIET);
  code.exchange(word, value, number, listen);
  code.passNumber(0, WAKE.number);
  code.callAt(gate, GATE.wake);
  code.jump(listen);
  code.place(leave);
  code.finish(0);
}

/** void *takeCrossings(gate): takes all waiting crossings, oldest first. From then on they are being answered. */
function writeTake(code: Routine): void {
  const gate = 0, crossing = 1, next = 2, first = 3, shut = 4;
  code.begin("takeCrossings");
  code.argument(gate, 0);
  code.set(first, 0);
  code.set(shut, GATE_SHUT);
  const retry = code.here(), done = code.label();
  code.acquire(crossing, gate);
  code.ifZero(crossing, done);
  code.ifEqual(crossing, shut, done);
  code.exchange(gate, crossing, first, retry);
  const turn = code.here();
  code.load(next, crossing, CROSSING.next);
  code.store(crossing, CROSSING.next, first);
  code.copy(first, crossing);
  code.copy(crossing, next);
  code.ifNotZero(crossing, turn);
  code.place(done);
  code.store(gate, GATE.served, first);
  code.finish({ variable: first });
}

/** void *settleCrossing(crossing, state, gate): wakes a caller, and returns the next crossing to answer. */
function writeSettle(code: Routine): void {
  const crossing = 0, word = 1, gate = 2, next = 3, number = 4, at = { gate, word, number } as const;
  code.begin("settleCrossing");
  code.argument(crossing, 0);
  code.argument(number, 1);
  code.argument(gate, 2);
  code.load(next, crossing, CROSSING.next);
  code.store(gate, GATE.served, next); // before the caller is woken, because the crossing is on its stack
  addressOf(code, word, crossing, CROSSING.state);
  code.publish(word, number);
  futex(code, at, FUTEX_WAKE_PRIVATE, 1);
  code.finish({ variable: next });
}

/**
 * void orderCaller(crossing, block, gate): lets a caller carry out the call in
 * an {@linkcode INVOKE} block, and waits for it.
 */
function writeOrder(code: Routine): void {
  const crossing = 0, value = 1, gate = 2, word = 3, number = 4, at = { gate, word, number } as const;
  code.begin("orderCaller");
  code.argument(crossing, 0);
  code.argument(value, 1);
  code.argument(gate, 2);
  code.store(crossing, CROSSING.order, value);
  code.load(value, crossing, CROSSING.thread);
  code.store(gate, GATE.carrying, value);
  addressOf(code, word, crossing, CROSSING.state);
  code.set(value, CROSSING_STATE.ordered);
  code.publish(word, value);
  futex(code, at, FUTEX_WAKE_PRIVATE, 1);
  const wait = code.here(), done = code.label();
  code.acquire(value, word);
  code.set(number, CROSSING_STATE.ordered);
  code.ifNotEqual(value, number, done);
  futex(code, at, FUTEX_WAIT_PRIVATE, CROSSING_STATE.ordered);
  code.jump(wait);
  code.place(done);
  code.set(value, 0);
  code.store(gate, GATE.carrying, value);
  code.finish(0);
}

/** void shutGate(gate): refuses all waiting and future crossings, and ends the keeper. */
function writeShut(code: Routine): void {
  const gate = 0, crossing = 1, next = 2, word = 3, number = 4, at = { gate, word, number } as const;
  code.begin("shutGate");
  code.argument(gate, 0);
  const retry = code.here(), done = code.label();
  code.acquire(crossing, gate);
  code.set(word, GATE_SHUT);
  code.ifEqual(crossing, word, done);
  code.exchange(gate, crossing, word, retry);
  for (const list of ["new", "served"]) {
    if (list === "served") code.load(crossing, gate, GATE.served);
    const each = code.here(), end = code.label();
    code.ifZero(crossing, end);
    code.load(next, crossing, CROSSING.next);
    addressOf(code, word, crossing, CROSSING.state);
    code.set(number, CROSSING_STATE.refused);
    code.publish(word, number);
    futex(code, at, FUTEX_WAKE_PRIVATE, 1);
    code.copy(crossing, next);
    code.jump(each);
    code.place(end);
  }
  addressOf(code, word, gate, GATE.bell);
  code.set(number, END);
  code.publish(word, number);
  futex(code, at, FUTEX_WAKE_PRIVATE, 1);
  code.place(done);
  code.finish(0);
}

/**
 * Writes `void takeLeave()`: calls both functions of the {@linkcode LEAVE} block
 * that have something to be called with, once.
 */
export function writeTakeLeave(code: Routine, slot: number): void {
  const block: Variable = 0, argument: Variable = 1, none: Variable = 2;
  code.begin("takeLeave");
  code.loadSlot(block, slot);
  code.set(none, 0);
  for (const [call, given] of [[LEAVE.storeAll, LEAVE.lists], [LEAVE.shutGate, LEAVE.gate]]) {
    const nothing = code.label();
    code.load(argument, block, given);
    code.ifZero(argument, nothing);
    code.store(block, given, none);
    code.pass(0, argument);
    code.callAt(block, call);
    code.place(nothing);
  }
  code.finish(0);
}
