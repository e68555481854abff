import { PbfWriter } from "pbf";
import { type Annotation, writeAnnotation } from "./annotation.ts";
import {
  CLOCK,
  CLOCKS,
  COUNTER,
  DEFAULTS,
  EVENT,
  INTERNED,
  MONOTONIC,
  NAME,
  PACKET,
  PROCESS,
  SEQUENCE,
  THREAD,
  TRACE,
  TRACK,
} from "./schema.ts";

/** The wire type of a message. */
const BYTES = 2;
/** All packets of a file are of one sequence. */
const SEQUENCE_ID = 1;

/** A row of the timeline. */
export interface TrackPacket {
  readonly uuid: number;
  readonly name?: string;
  readonly parent?: number;
  readonly process?: { readonly pid: number; readonly name: string };
  readonly thread?: { readonly pid: number; readonly tid: number; readonly name: string };
  /** A row of numbers, and their unit. */
  readonly counter?: { readonly unit: string };
}

/** An event on a row. */
export interface EventPacket {
  readonly type: number;
  readonly track: number;
  /** Nanoseconds of CLOCK_MONOTONIC. */
  readonly time: number;
  /** Number of the interned name; absent for an end and for a counter. */
  readonly name?: number;
  /** The text of the name, if this is the first event that uses the number. */
  readonly newName?: string;
  readonly value?: number;
  readonly flows?: readonly number[];
  readonly args?: Readonly<Record<string, Annotation>>;
}

/** Writes the first packet: everything is on CLOCK_MONOTONIC, and no names are known yet. */
export function writeStart(time: number, out: PbfWriter): void {
  out.writeMessage(PACKET.clockSnapshot, writeClocks, time);
  out.writeMessage(PACKET.defaults, (_: undefined, fields) => {
    fields.writeVarintField(DEFAULTS.timestampClockId, MONOTONIC);
  }, undefined);
  endPacket(SEQUENCE.STATE_CLEARED, out);
}

function writeClocks(time: number, out: PbfWriter): void {
  out.writeMessage(CLOCKS.clocks, (_: undefined, clock) => {
    clock.writeVarintField(CLOCK.id, MONOTONIC);
    clock.writeVarintField(CLOCK.timestamp, time);
  }, undefined);
  out.writeVarintField(CLOCKS.primary, MONOTONIC);
}

/** Writes a packet that describes a track. */
export function writeTrack(track: TrackPacket, out: PbfWriter): void {
  out.writeMessage(PACKET.trackDescriptor, writeDescriptor, track);
  endPacket(SEQUENCE.NEEDS_STATE, out);
}

function writeDescriptor({ uuid, name, parent, process, thread, counter }: TrackPacket, out: PbfWriter): void {
  out.writeVarintField(TRACK.uuid, uuid);
  if (name !== undefined) out.writeStringField(TRACK.name, name);
  if (parent !== undefined) out.writeVarintField(TRACK.parentUuid, parent);
  if (process) {
    out.writeMessage(TRACK.process, ({ pid, name }, fields) => {
      fields.writeVarintField(PROCESS.pid, pid);
      fields.writeStringField(PROCESS.name, name);
    }, process);
  }
  if (thread) {
    out.writeMessage(TRACK.thread, ({ pid, tid, name }, fields) => {
      fields.writeVarintField(THREAD.pid, pid);
      fields.writeVarintField(THREAD.tid, tid);
      fields.writeStringField(THREAD.name, name);
    }, thread);
  }
  if (counter) {
    out.writeMessage(TRACK.counter, ({ unit }, fields) => fields.writeStringField(COUNTER.unitName, unit), counter);
  }
}

/** An event of which nothing but its type, track and name is told. */
type PlainEvent = Pick<EventPacket, "type" | "track" | "name">;

/** The bytes that follow the time in a packet with a plain event. */
export interface PlainEnd {
  /** Bytes. */
  readonly size: number;
  /** The bytes, and zeros up to a whole word. */
  readonly words: Int32Array;
}

/** Bytes before the time: tag and size of the packet, and the tag of the time. */
const HEAD_BYTES = 3;
/** Bytes of a time: groups of seven bits, of which the low four take one word. */
const TIME_BYTES = 8, LOW = 1 << 28, MORE = 0x80808080, LAST = 0x00808080;

/** Returns what follows the time in a packet with a plain event. */
export function plainEvent(event: PlainEvent): PlainEnd {
  const out = new PbfWriter();
  writeRest({ ...event, time: 0 }, out);
  const bytes = out.finish(), words = new Int32Array(Math.ceil(bytes.length / 4));
  new Uint8Array(words.buffer).set(bytes);
  return { size: bytes.length, words };
}

/**
 * Writes a packet of a time and the end from {@linkcode plainEvent}, of less than 100 bytes: as {@linkcode writeEvent}
 * would, but word by word, and a time always takes the same number of bytes.
 */
export function writePlain(time: number, { size, words }: PlainEnd, out: PbfWriter): void {
  out.realloc(HEAD_BYTES + TIME_BYTES + size + 4);
  const { dataView: view, pos } = out, high = Math.floor(time / LOW), low = time - high * LOW;
  view.setInt32(pos, TRACE.packet << 3 | BYTES | 1 + TIME_BYTES + size << 8 | PACKET.timestamp << 19, true);
  view.setInt32(pos + HEAD_BYTES, inSevens(low) | MORE, true);
  view.setInt32(pos + HEAD_BYTES + 4, inSevens(high) | LAST, true);
  let at = pos + HEAD_BYTES + TIME_BYTES;
  for (let index = 0; index < words.length; index++, at += 4) view.setInt32(at, words[index], true);
  out.pos = pos + HEAD_BYTES + TIME_BYTES + size;
}

/** Spreads 28 bits over the low seven bits of four bytes. */
function inSevens(value: number): number {
  return value & 0x7f | (value & 0x3f80) << 1 | (value & 0x1fc000) << 2 | (value & 0xfe00000) << 3;
}

/** Writes a packet with an event. */
export function writeEvent(event: EventPacket, out: PbfWriter): void {
  out.writeVarintField(PACKET.timestamp, event.time);
  writeRest(event, out);
}

function writeRest(event: EventPacket, out: PbfWriter): void {
  if (event.newName !== undefined) out.writeMessage(PACKET.internedData, writeNewName, event);
  out.writeMessage(PACKET.trackEvent, writeEventFields, event);
  endPacket(SEQUENCE.NEEDS_STATE, out);
}

function writeNewName(event: EventPacket, out: PbfWriter): void {
  out.writeMessage(INTERNED.eventNames, ({ name, newName }, fields) => {
    fields.writeVarintField(NAME.iid, name!);
    fields.writeStringField(NAME.name, newName!);
  }, event);
}

function writeEventFields({ type, track, name, value, flows = [], args = {} }: EventPacket, out: PbfWriter): void {
  for (const entry of Object.entries(args)) out.writeMessage(EVENT.annotations, writeAnnotation, entry);
  out.writeVarintField(EVENT.type, type);
  if (name !== undefined) out.writeVarintField(EVENT.nameIid, name);
  out.writeVarintField(EVENT.trackUuid, track);
  if (value !== undefined && Number.isSafeInteger(value)) out.writeVarintField(EVENT.counterValue, value);
  else if (value !== undefined) out.writeDoubleField(EVENT.doubleCounterValue, value);
  for (const flow of flows) out.writeFixed64Field(EVENT.flowIds, flow);
}

function endPacket(flags: number, out: PbfWriter): void {
  out.writeVarintField(PACKET.sequenceId, SEQUENCE_ID);
  out.writeVarintField(PACKET.sequenceFlags, flags);
}
