import type { Label } from "../../ffi/asm/code.ts";
import type { Routine, Variable } from "../../ffi/emit/routine.ts";

/** The functions by which one thread at a time is in a driver's creating and destroying commands. */
export interface Alone {
  /** `u32 enterAlone(word)`: 1 if the thread is alone from now on; 0 if it was before, or another stays too long. */
  readonly enter: Label;
  /** `void leaveAlone(word)`, after a 1. */
  readonly leave: Label;
}

/** Seconds that a thread waits for another that does not leave. */
const PATIENCE = 2;
/** The numbers of futex, two of its operations, and its result after the time: -ETIMEDOUT as 32 bits. */
const FUTEX = { x86_64: 202, aarch64: 98 }, WAIT = 0x80, WAKE = 0x81, TOO_LATE = 0xffff_ff92;

/**
 * Writes the functions. The word is 0 or the thread pointer of the thread that is alone. The bound is there because
 * that thread may wait for the one that waits here, and because a forked child has no thread but its own.
 */
export function writeAlone(routine: Routine): Alone {
  return { enter: writeEnter(routine), leave: writeLeave(routine) };
}

function writeEnter(routine: Routine): Label {
  const word: Variable = 0, own: Variable = 1, other: Variable = 2, late: Variable = 3, result: Variable = 4;
  const seconds = 0, nanoseconds = 1, failed = routine.label(), done = routine.label();
  const entry = routine.begin("enterAlone", 2);
  routine.argument(word, 0);
  routine.threadPointer(own);
  routine.set(other, PATIENCE);
  routine.storeCell(seconds, other);
  routine.set(other, 0);
  routine.storeCell(nanoseconds, other);
  routine.set(late, TOO_LATE);
  const again = routine.here();
  routine.set(other, 0);
  routine.set(result, 1);
  routine.exchange(word, other, own, failed);
  routine.jump(done);
  routine.place(failed);
  routine.set(result, 0);
  routine.load(other, word);
  routine.ifZero(other, again);
  routine.ifEqual(other, own, done);
  routine.pass(0, word);
  routine.passNumber(1, WAIT);
  routine.pass(2, other);
  routine.passCell(3, seconds);
  routine.systemCall(FUTEX);
  routine.result(other);
  routine.ifNotEqual(other, late, again);
  routine.place(done);
  routine.finish({ variable: result });
  return entry;
}

function writeLeave(routine: Routine): Label {
  const word: Variable = 0, none: Variable = 1;
  const entry = routine.begin("leaveAlone");
  routine.argument(word, 0);
  routine.set(none, 0);
  routine.publish(word, none);
  routine.pass(0, word);
  routine.passNumber(1, WAKE);
  routine.passNumber(2, 1);
  routine.systemCall(FUTEX);
  routine.finish(0);
  return entry;
}
