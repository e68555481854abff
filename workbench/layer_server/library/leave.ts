import { FLUSHED } from "./flush.ts";
import { writeClock } from "./note.ts";
import { beginPart, FLUSH, KERNEL, LINK, ownData, type Parts, PRIVATE } from "./parts.ts";

/** Cells: the time, and the time for which a try waits. Both are `timespec`s. */
const CELL = { time: 0, pause: 2, count: 4 } as const;
/** The most seconds in which a program that ends sends its last notes, the current second counted in. */
const PATIENCE = 2;
/** Nanoseconds between tries. */
const PAUSE = 1_000_000;

/**
 * void leave(): sends the notes that are left, and their end. The dynamic linker
 * calls the function when the program ends by `exit` or unloads the library. Not
 * in a child of the program, whose notes are the parent's.
 */
export function writeLeave(parts: Parts): void {
  const { code, functions } = parts, data = 0, value = 1, other = 2, end = 3, done = code.label();
  beginPart(parts, "leave", CELL.count);
  ownData(parts, data);
  code.load(value, data, PRIVATE.notes);
  code.ifZero(value, done);
  code.load(value, data, PRIVATE.link);
  code.set(other, LINK.connected);
  code.ifNotEqual(value, other, done);
  code.systemCall(KERNEL.getpid);
  code.wideResult(value);
  code.load(other, data, PRIVATE.process);
  code.ifNotEqual(value, other, done);
  code.set(value, 1);
  code.store(data, PRIVATE.leaving, value);
  writeClock(parts, CELL.time, data, value);
  code.loadCell(end, CELL.time);
  code.add(end, PATIENCE);

  const again = code.here(), look = code.label();
  code.passNumber(0, FLUSH.atOnce);
  code.call(functions.flush);
  code.result(value);
  code.ifZero(value, done);
  code.set(other, FLUSHED.some);
  code.ifEqual(value, other, look);
  writePause(parts, value);
  code.place(look);
  writeClock(parts, CELL.time, data, value);
  code.loadCell(value, CELL.time);
  code.ifBelow(value, end, again);
  code.place(done);
  code.finish(0);
}

/** Lets the server read, or another thread write. The kernel changes the time in the cell. */
function writePause({ code }: Parts, value: 1): void {
  code.set(value, 0);
  code.storeCell(CELL.pause, value);
  code.set(value, PAUSE);
  code.storeCell(CELL.pause + 1, value);
  for (const nothing of [0, 1, 3, 4]) code.passNumber(nothing, 0);
  code.passCell(2, CELL.pause);
  code.systemCall(KERNEL.ppoll);
}
