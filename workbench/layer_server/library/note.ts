import type { Variable } from "../../../ffi/emit/routine.ts";
import { writeRing } from "./connect.ts";
import { writeFlushSometimes } from "./flush.ts";
import { writeBlock } from "./hand_over.ts";
import { HEAD, LATE, NOTE, NOTED, NOTES, RING_AT, UNFIT } from "../layout.ts";
import {
  beginPart,
  type ChannelPlace,
  count,
  FLUSH,
  KERNEL,
  ownData,
  type Parts,
  PRIVATE,
  setNumber,
} from "./parts.ts";

const CLOCK_MONOTONIC = 1;
/**
 * Cells of a note: the command's number, the number of arguments on the stack, the thread, the place of the begin, and
 * a `timespec`.
 */
const CELL = { number: 0, stack: 1, thread: 2, begin: 3, place: 4, time: 5, count: 7 } as const;

/**
 * u32 note(frame, number, stackCount, begin, place): notes a call in the ring,
 * without waiting for anybody. Returns 0 if there was no room, and counts the
 * call as lost. `begin` is the address of a `timespec` for a call that was made
 * since then; 0 for one that is to be made; {@linkcode LATE} for one that is
 * handed over afterwards: then `place` gets the address of the note, which is
 * not published yet, and 0 is returned, too, if the call does not fit.
 */
export function writeNote(parts: Parts, place: ChannelPlace): void {
  const { code } = parts, frame = 0, note = 1, value = 2, other = 3, spare = 4;
  beginPart(parts, "note", CELL.count);
  code.argument(frame, 0);
  [CELL.number, CELL.stack, CELL.begin, CELL.place].forEach((cell, index) => {
    code.argument(value, index + 1);
    code.storeCell(cell, value);
  });
  const inside = code.label(),
    full = code.label(),
    unlost = code.label(),
    copied = code.label(),
    told = code.label(),
    open = code.label(),
    ours = code.label(),
    first = place.channel + BigInt(RING_AT);
  code.call(parts.functions.thread);
  code.result(value);
  code.ifNotZero(value, ours);
  code.finish(0);
  code.place(ours);
  code.storeCell(CELL.thread, value);
  const retry = code.here();
  setNumber(parts, other, place.channel + BigInt(HEAD.cursor));
  code.acquire(note, other);
  code.acquire(value, note);
  code.ifZero(value, open);
  code.acquire(spare, other);
  code.ifNotEqual(spare, note, retry); // another thread took it meanwhile, and the next one may be free
  code.jump(full);
  code.place(open);
  code.copy(spare, note);
  code.add(spare, NOTE.size);
  setNumber(parts, value, first + BigInt(NOTES * NOTE.size));
  code.ifNotEqual(spare, value, inside);
  setNumber(parts, spare, first);
  code.place(inside);
  code.exchange(other, note, spare, retry);
  code.set(value, NOTED.free);
  code.set(other, NOTED.claimed);
  code.exchange(note, value, other, full);
  code.loadCell(value, CELL.number);
  code.store(note, NOTE.command, value);
  ownData(parts, other);
  code.load(value, other, PRIVATE.number);
  code.store(note, NOTE.link, value);
  code.loadCell(value, CELL.thread);
  code.store(note, NOTE.thread, value);
  writeClock(parts, CELL.time, other, value);
  writeTimes(parts, note, value, other);
  writeBlock(parts, NOTE.invoke, CELL.stack);
  code.loadCell(value, CELL.begin);
  code.ifZero(value, copied);
  code.loadCell(value, CELL.place);
  code.ifZero(value, told); // of a call that was timed, nothing is copied
  code.place(copied);
  code.pass(0, note);
  code.call(parts.functions.copies);
  code.place(told);
  writePublished(parts, note);
  if (place.socket) writeFlushSometimes(parts, note, CELL.time + 1);
  else writeRingSometimes(parts, note);
  code.finish(1);
  code.place(full);
  code.loadCell(value, CELL.place);
  code.ifNotZero(value, unlost); // the call is handed over instead
  setNumber(parts, other, place.channel + BigInt(HEAD.lost));
  count(code, other, value, spare);
  if (place.socket) {
    code.passNumber(0, FLUSH.atOnce);
    code.call(parts.functions.flush); // to make room, as soon as the server reads on
  }
  code.place(unlost);
  code.finish(0);
}

/** Publishes a note. One of a call that is handed over afterwards is left to the caller, and one that does not fit is void. */
function writePublished({ code }: Parts, note: Variable): void {
  const value = 2, other = 3, lacks = 4, plain = code.label(), fits = code.label();
  code.result(lacks);
  code.loadCell(other, CELL.place);
  code.ifZero(other, plain);
  code.ifZero(lacks, fits);
  code.set(value, UNFIT);
  code.store(note, NOTE.command, value);
  code.set(value, NOTED.written);
  code.publish(note, value);
  code.finish(0);
  code.place(fits);
  code.store(other, 0, note);
  code.finish(1);
  code.place(plain);
  code.set(value, NOTED.written);
  code.publish(note, value);
}

/** Rings at each 1024th note, so that the server reads before the ring is full. All variables are overwritten. */
function writeRingSometimes(parts: Parts, note: Variable): void {
  const { code } = parts, done = code.label();
  code.bits(0, note, 10, 10);
  code.ifNotZero(0, done);
  writeRing(parts, 0, 2, 3);
  code.place(done);
}

/** Writes when the call began, and of one that was made, when it was over. */
function writeTimes({ code }: Parts, note: Variable, value: Variable, other: Variable): void {
  const plain = code.label(), done = code.label();
  code.loadCell(other, CELL.begin);
  code.store(note, NOTE.isTimed, other);
  code.ifZero(other, plain);
  code.set(value, LATE);
  code.ifEqual(other, value, plain);
  for (const part of [0, 1]) {
    code.load(value, other, 8 * part);
    code.store(note, NOTE.time + 8 * part, value);
    code.loadCell(value, CELL.time + part);
    code.store(note, NOTE.end + 8 * part, value);
  }
  code.jump(done);
  code.place(plain);
  for (const part of [0, 1]) {
    code.loadCell(value, CELL.time + part);
    code.store(note, NOTE.time + 8 * part, value);
  }
  code.place(done);
}

/** Writes the time to two cells. The two variables are overwritten; the first one is the library's own data then. */
export function writeClock(parts: Parts, cell: number, data: Variable, value: Variable): void {
  const { code } = parts, asked = code.label(), told = code.label();
  ownData(parts, data);
  code.load(value, data, PRIVATE.clock);
  code.passNumber(0, CLOCK_MONOTONIC);
  code.passCell(1, cell);
  code.ifZero(value, asked);
  code.callAt(data, PRIVATE.clock);
  code.jump(told);
  code.place(asked);
  code.systemCall(KERNEL.clockGettime);
  code.place(told);
}
