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

/** Bytes of a time with its tag; the low 28 bits take four of them. */
const TIME_BYTES = 9, LOW = 1 << 28;

/** Returns what follows the time in a packet with a plain event. */
export function plainEvent(event: PlainEvent): Uint8Array {
  const out = new PbfWriter();
  writeRest({ ...event, time: 0 }, out);
  return out.finish();
}

/**
 * Writes a packet of a time and the bytes of {@linkcode plainEvent}, which take less than 100 bytes: as
 * {@linkcode writeEvent} would, but without measuring two messages. A time always takes the same number of bytes.
 */
export function writePlain(time: number, rest: Uint8Array, out: PbfWriter): void {
  const size = TIME_BYTES + rest.length;
  out.realloc(size + 2);
  const { buf } = out, low = time % LOW, high = Math.floor(time / LOW);
  let at = out.pos;
  buf[at++] = TRACE.packet << 3 | BYTES;
  buf[at++] = size;
  buf[at++] = PACKET.timestamp << 3;
  for (let shift = 0; shift < 28; shift += 7) buf[at++] = low >> shift & 0x7f | 0x80;
  for (let shift = 0; shift < 21; shift += 7) buf[at++] = high >> shift & 0x7f | 0x80;
  buf[at++] = high >> 21 & 0x7f;
  for (let index = 0; index < rest.length; index++) buf[at++] = rest[index];
  out.pos = at;
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
