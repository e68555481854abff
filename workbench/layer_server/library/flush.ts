import type { Label } from "../../../ffi/asm/code.ts";
import { HEAD, NOTE, NOTES, RING_AT, SLOT, STATE as SLOT_STATE } from "../layout.ts";
import { NOTES_END, NOTES_END_MAGIC } from "../messages.ts";
import { FIRST_ERROR } from "./find.ts";
import { writeIsOwn } from "./identity.ts";
import { beginPart, type ChannelPlace, FLUSH, KERNEL, LINK, ownData, type Parts, PRIVATE, setNumber } from "./parts.ts";
import { writeTake } from "./take.ts";
import { GONE, writeTell } from "./tell.ts";

/** The kernel's error numbers, as it returns them: the call was interrupted, or would have to wait. */
const HARMLESS = [-4n, -11n];
/** The most notes that are sent at once. */
const BATCH = 64;
const FREE = 0, WRITTEN = 2;
/** Cells: the flags, and the end of the notes. */
const CELL = { flags: 0, end: 1, count: 3 } as const;
/** The results of `flush`: nothing is left to be sent, some notes went, none could go now. */
export const FLUSHED = { all: 0, some: 1, none: 2 } as const;
/** No part of a second. */
const NEVER = 0xffff;
/** The variables. */
const data = 0, at = 1, value = 2, other = 3, left = 4;

/** Writes the functions that send noted calls to a server at a socket. */
export function writeFlush(parts: Parts, place: ChannelPlace): void {
  writeOpenNotes(parts, place);
  writeSend(parts, place);
}

/** u32 openNotes(): connects a slot for notes. Returns 0 if the server does not answer. */
function writeOpenNotes(parts: Parts, place: ChannelPlace): void {
  const { code, functions } = parts, slot = 1, opened = code.label();
  const TURNS = 0;
  beginPart(parts, "openNotes", 1);
  writeTake(parts, TURNS);
  code.pass(0, slot);
  code.call(functions.openLine);
  code.result(value);
  code.ifNotZero(value, opened);
  code.set(value, SLOT_STATE.free);
  code.publish(slot, value);
  code.finish(0);
  code.place(opened);
  ownData(parts, data);
  setNumber(parts, value, place.channel + BigInt(RING_AT));
  code.store(data, PRIVATE.unsent, value);
  code.set(value, 0);
  code.store(data, PRIVATE.partly, value);
  code.store(data, PRIVATE.leaving, value);
  code.set(value, NEVER);
  code.store(data, PRIVATE.tick, value); // so that the first note goes at once
  code.store(data, PRIVATE.notes, slot);
  code.finish(1);
}

/**
 * u32 flush(flags): sends the written notes that follow each other in the ring,
 * and frees their places. One thread does it at a time; others go on. Returns
 * one of {@linkcode FLUSHED}.
 */
function writeSend(parts: Parts, place: ChannelPlace): void {
  const { code } = parts, first = place.channel + BigInt(RING_AT), end = first + BigInt(NOTES * NOTE.size);
  beginPart(parts, "flush", CELL.count);
  const idle = code.label(), busy = code.label(), stuck = code.label(), empty = code.label();
  const broken = code.label(), some = code.label(), inside = code.label();
  code.argument(value, 0);
  code.storeCell(CELL.flags, value);
  ownData(parts, data);
  code.load(value, data, PRIVATE.notes);
  code.ifZero(value, idle);
  code.copy(other, data);
  code.add(other, PRIVATE.flushing);
  code.set(value, 0);
  code.set(left, 1);
  code.exchange(other, value, left, busy);
  code.load(at, data, PRIVATE.notes);
  writeIsOwn(parts, { base: at, file: SLOT.file, identity: SLOT.identity }, [value, other], broken);
  const again = code.here();
  code.load(at, data, PRIVATE.unsent);
  writeCountBytes(parts, place, end);
  code.ifZero(other, empty);
  code.load(value, data, PRIVATE.partly);
  code.addVariable(at, value);
  code.subtractVariable(other, value);
  code.pass(1, at);
  code.pass(2, other);
  writeSendTo(parts);
  code.wideResult(left);
  setNumber(parts, value, FIRST_ERROR);
  code.ifBelow(left, value, some);
  for (const error of HARMLESS) {
    setNumber(parts, value, BigInt.asUintN(64, error));
    code.ifEqual(left, value, stuck);
  }
  code.jump(broken);

  code.place(some);
  writeFreeSent(parts);
  setNumber(parts, value, end);
  code.ifNotEqual(at, value, inside);
  setNumber(parts, at, first);
  code.place(inside);
  code.store(data, PRIVATE.unsent, at);
  code.loadCell(value, CELL.flags);
  code.set(other, FLUSH.whole);
  code.ifEqual(value, other, again);
  writeUnlock(parts);
  code.finish(FLUSHED.some);
  code.place(empty);
  writeEnd(parts, place, stuck);
  writeUnlock(parts);
  code.place(idle);
  code.finish(FLUSHED.all);
  code.place(stuck);
  writeUnlock(parts);
  code.place(busy);
  code.finish(FLUSHED.none);
  code.place(broken);
  writeGiveUp(parts);
}

/** Sends the bytes that were passed. */
function writeSendTo({ code }: Parts): void {
  code.load(value, data, PRIVATE.notes);
  code.load(value, value, SLOT.file);
  code.decrement(value);
  code.pass(0, value);
  code.loadCell(value, CELL.flags);
  code.pass(3, value);
  code.passNumber(4, 0);
  code.passNumber(5, 0);
  code.systemCall(KERNEL.sendto);
}

/**
 * Sends the end of the notes if the program leaves; no note follows then. Goes
 * to a label if another thread is still writing one, at `at` or behind.
 */
function writeEnd(parts: Parts, place: ChannelPlace, stuck: Label): void {
  const { code } = parts, stays = code.label(), head = (offset: number) => place.channel + BigInt(offset);
  code.load(value, data, PRIVATE.leaving);
  code.ifZero(value, stays);
  setNumber(parts, value, head(HEAD.cursor));
  code.acquire(value, value);
  code.ifNotEqual(value, at, stuck);
  setNumber(parts, value, NOTES_END_MAGIC);
  code.storeCell(CELL.end + NOTES_END.magic / 8, value);
  setNumber(parts, value, head(HEAD.lost));
  code.load(value, value);
  code.storeCell(CELL.end + NOTES_END.lost / 8, value);
  code.passCell(1, CELL.end);
  code.passNumber(2, NOTES_END.size);
  writeSendTo(parts);
  code.set(value, 0);
  code.store(data, PRIVATE.notes, value);
  code.place(stays);
}

/** `other = ` how many bytes of written notes there are from `at` on, with that of which a part was sent. */
function writeCountBytes(parts: Parts, place: ChannelPlace, end: bigint): void {
  const { code } = parts, counted = code.label(), put = code.label(), kept = code.label();
  code.copy(other, at);
  code.set(left, BATCH);
  const next = code.here();
  setNumber(parts, value, end);
  code.ifEqual(other, value, counted);
  code.acquire(value, other);
  for (let state = 0; state < WRITTEN; state++) code.decrement(value);
  code.ifNotZero(value, counted);
  code.ifNotEqual(other, at, put);
  code.load(value, data, PRIVATE.partly);
  code.ifNotZero(value, kept); // the server has its first bytes already
  code.place(put);
  setNumber(parts, value, place.channel + BigInt(HEAD.lost));
  code.load(value, value);
  code.store(other, NOTE.lost, value);
  code.place(kept);
  code.add(other, NOTE.size);
  code.decrement(left);
  code.ifNotZero(left, next);
  code.place(counted);
  code.subtractVariable(other, at);
}

/** Frees the notes that are sent as a whole, `left` bytes behind the part that was sent before. */
function writeFreeSent({ code }: Parts): void {
  const rest = code.label();
  code.load(at, data, PRIVATE.unsent);
  code.load(value, data, PRIVATE.partly);
  code.addVariable(left, value);
  const next = code.here();
  code.set(value, NOTE.size);
  code.ifBelow(left, value, rest);
  code.subtractVariable(left, value);
  code.set(value, FREE);
  code.publish(at, value);
  code.add(at, NOTE.size);
  code.jump(next);
  code.place(rest);
  code.store(data, PRIVATE.partly, left);
}

function writeUnlock({ code }: Parts): void {
  code.copy(other, data);
  code.add(other, PRIVATE.flushing);
  code.set(value, 0);
  code.publish(other, value);
}

/** Writes code that gives notes up when the server has gone. */
function writeGiveUp(parts: Parts): void {
  const { code } = parts;
  code.set(value, 0);
  code.store(data, PRIVATE.notes, value);
  writeUnlock(parts);
  code.set(value, LINK.given_up);
  code.publish(data, value);
  writeTell(parts, GONE, [data, value, other]);
  code.finish(0);
}

/**
 * Sends notes now and then, after a note was written at `note`: if a millisecond
 * began since the last time, and at every 32nd note. `nanoseconds` is the cell
 * with the second word of the time. All variables but `note` are overwritten.
 */
export function writeFlushSometimes(parts: Parts, note: 1, nanoseconds: number): void {
  const { code, functions } = parts, flush: Label = code.label(), done = code.label();
  ownData(parts, data);
  code.loadCell(value, nanoseconds);
  code.bits(other, value, 20, 10);
  code.load(value, data, PRIVATE.tick);
  code.store(data, PRIVATE.tick, other);
  code.ifNotEqual(value, other, flush);
  code.bits(other, note, 10, 5);
  code.ifNotZero(other, done);
  code.place(flush);
  code.passNumber(0, FLUSH.atOnce);
  code.call(functions.flush);
  code.place(done);
}
