import type { Variable } from "../../../ffi/emit/routine.ts";
import { addScaled, beginPart, KERNEL, ownData, type Parts, PRIVATE } from "./parts.ts";
import { THREAD, THREAD_BITS, THREAD_LOOKS, THREADS_AT } from "./parts.ts";

const PR_GET_TID_ADDRESS = 40;
/** The greatest distance of the word from the thread pointer: both are in the same block of the C library. */
const NEAR = 4096;
/** The bits of thread pointers in which threads differ: stacks of threads have a guard page each, and 8 MiB. */
const LOW = 12, HIGH = 23;

/**
 * u32 thread(): returns the kernel's number of the thread; 0 in a child of the
 * program that is linked.
 *
 * Asking the kernel takes longer than all else that a noted call takes. C
 * libraries let the kernel keep the number in a word of the thread's control
 * block, for those who wait for the thread's end. A thread asks the kernel
 * where that word is, once; from then on, the number is known as long as the
 * word says the same. A thread that comes to the same control block later, and
 * a child of the program, have other numbers.
 */
export function writeThread(parts: Parts): void {
  const { code } = parts, pointer = 0, entry = 1, value = 2, other = 3, left = 4;
  beginPart(parts, "thread", 2);
  const known = code.label(), ask = code.label(), differs = code.label(), next = code.label(), mine = code.label();
  code.threadPointer(pointer);
  writePlace(parts, pointer, entry, value);
  code.set(left, THREAD_LOOKS);
  const look = code.here();
  code.acquire(value, entry);
  code.ifEqual(value, pointer, known);
  code.ifNotZero(value, next);
  code.exchange(entry, value, pointer, look);
  code.jump(differs);
  code.place(next);
  code.add(entry, 1 << THREAD.shift);
  code.decrement(left);
  code.ifNotZero(left, look);
  code.set(entry, 0);
  code.jump(ask);

  code.place(known);
  code.load(other, entry, THREAD.word);
  code.ifZero(other, differs);
  code.load32(value, other);
  code.load(other, entry, THREAD.number);
  code.ifNotEqual(value, other, differs);
  code.finish({ variable: value });

  code.place(differs);
  code.set(value, 0);
  code.store(entry, THREAD.word, value);
  code.place(ask);
  code.systemCall(KERNEL.getpid);
  code.wideResult(value);
  ownData(parts, other);
  code.load(other, other, PRIVATE.process);
  code.ifEqual(value, other, mine);
  code.finish(0);
  code.place(mine);
  code.systemCall(KERNEL.gettid);
  code.result(value);
  writeRemember(parts, { pointer, entry, value, other, left });
  code.finish({ variable: value });
}

/** Goes to the first entry that may be a thread's. */
function writePlace(parts: Parts, pointer: Variable, entry: Variable, value: Variable): void {
  const { code } = parts;
  ownData(parts, entry);
  code.add(entry, THREADS_AT);
  for (const first of [LOW, HIGH]) {
    code.bits(value, pointer, first, THREAD_BITS);
    addScaled(code, entry, value, THREAD.shift);
  }
}

/** Keeps the number `value` in an entry, unless the entry is 0 or there is no such word. */
function writeRemember(
  { code }: Parts,
  { pointer, entry, value, other, left }: Record<"pointer" | "entry" | "value" | "other" | "left", Variable>,
): void {
  const done = code.label();
  code.ifZero(entry, done);
  code.passNumber(0, PR_GET_TID_ADDRESS);
  code.passCell(1, 0);
  code.systemCall(KERNEL.prctl);
  code.result(other);
  code.ifNotZero(other, done);
  code.loadCell(other, 0);
  code.copy(left, other);
  code.add(left, NEAR);
  code.subtractVariable(left, pointer); // from 0 to twice as much if the word is near
  code.set(pointer, 2 * NEAR);
  code.ifBelow(pointer, left, done);
  code.load32(left, other);
  code.ifNotEqual(left, value, done);
  code.store(entry, THREAD.number, value);
  code.store(entry, THREAD.word, other);
  code.place(done);
}
