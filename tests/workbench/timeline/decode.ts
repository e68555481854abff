/**
 * Reads trace files of Perfetto with a description of the published schema and
 * another library than the writer's.
 *
 * @module
 */
import protobuf from "protobufjs";

/** The fields of the published schema that traces of this project have, and their neighbours of the same meaning. */
const SCHEMA = `syntax = "proto2";
message Trace { repeated TracePacket packet = 1; }
message TracePacket {
  optional uint64 timestamp = 8;
  optional uint32 timestamp_clock_id = 58;
  optional ClockSnapshot clock_snapshot = 6;
  optional uint32 trusted_packet_sequence_id = 10;
  optional TrackEvent track_event = 11;
  optional InternedData interned_data = 12;
  optional uint32 sequence_flags = 13;
  optional TracePacketDefaults trace_packet_defaults = 59;
  optional TrackDescriptor track_descriptor = 60;
}
message TracePacketDefaults { optional uint32 timestamp_clock_id = 58; }
message ClockSnapshot {
  message Clock { optional uint32 clock_id = 1; optional uint64 timestamp = 2; }
  repeated Clock clocks = 1;
  optional uint32 primary_trace_clock = 2;
}
message InternedData { repeated EventName event_names = 2; }
message EventName { optional uint64 iid = 1; optional string name = 2; }
message TrackDescriptor {
  optional uint64 uuid = 1;
  optional string name = 2;
  optional ProcessDescriptor process = 3;
  optional ThreadDescriptor thread = 4;
  optional uint64 parent_uuid = 5;
  optional CounterDescriptor counter = 8;
}
message ProcessDescriptor { optional int32 pid = 1; optional string process_name = 6; }
message ThreadDescriptor { optional int32 pid = 1; optional int32 tid = 2; optional string thread_name = 5; }
message CounterDescriptor { optional string unit_name = 6; }
message TrackEvent {
  enum Type { TYPE_UNSPECIFIED = 0; TYPE_SLICE_BEGIN = 1; TYPE_SLICE_END = 2; TYPE_INSTANT = 3; TYPE_COUNTER = 4; }
  repeated DebugAnnotation debug_annotations = 4;
  optional Type type = 9;
  optional uint64 name_iid = 10;
  optional uint64 track_uuid = 11;
  optional string name = 23;
  optional int64 counter_value = 30;
  optional double double_counter_value = 44;
  repeated fixed64 flow_ids = 47 [packed = false];
  repeated fixed64 terminating_flow_ids = 48 [packed = false];
}
message DebugAnnotation {
  optional string name = 10;
  optional bool bool_value = 2;
  optional int64 int_value = 4;
  optional double double_value = 5;
  optional string string_value = 6;
  repeated DebugAnnotation dict_entries = 11;
  repeated DebugAnnotation array_values = 12;
}`;

/** A slice, an instant or a value of a counter. */
export interface Slice {
  /** Names of the track and of the tracks above, the process first, with "/" between. */
  readonly track: string;
  readonly kind: "slice" | "instant" | "counter";
  readonly name: string;
  /** Nanoseconds. */
  readonly start: number;
  /** Nanoseconds; Infinity for a slice without an end. */
  end: number;
  /** The number of slices of the track around this one. */
  readonly depth: number;
  readonly flows: readonly number[];
  readonly args: Record<string, unknown>;
  readonly value?: number;
}

const KINDS: Record<string, Slice["kind"]> = {
  TYPE_SLICE_BEGIN: "slice",
  TYPE_INSTANT: "instant",
  TYPE_COUNTER: "counter",
};

/** A file as a viewer understands the file. */
export interface DecodedTrace {
  readonly tracks: readonly string[];
  /** By start. */
  readonly slices: readonly Slice[];
  readonly process: { readonly pid: number };
  readonly thread: { readonly pid: number; readonly tid: number };
  /** The clock of all times. */
  readonly clock: number;
}

// deno-lint-ignore no-explicit-any -- decoded by a description
type Fields = any;

/** Decodes a file. Throws for whatever a viewer would refuse or drop. */
export function decodeTrace(bytes: Uint8Array): DecodedTrace {
  const type = protobuf.parse(SCHEMA, { keepCase: true }).root.lookupType("Trace");
  const { packet: packets = [] } = type.toObject(type.decode(bytes), { longs: Number, enums: String }) as Fields;
  checkSequence(packets);
  const tracks = new Map<number, Fields>(
    packets.flatMap(({ track_descriptor: each }: Fields) => each ? [[each.uuid, each]] : []),
  );
  const label = (uuid: number): string => {
    const { name, process, thread, parent_uuid: parent } = tracks.get(uuid)!;
    const own = name ?? process?.process_name ?? thread?.thread_name;
    return parent === undefined ? own : `${label(parent)}/${own}`;
  };
  const find = (what: string) => [...tracks.values()].find((each) => each[what])![what];
  return {
    tracks: [...tracks.keys()].map(label),
    slices: slicesOf(packets, label),
    process: find("process"),
    thread: find("thread"),
    clock: packets[0].trace_packet_defaults.timestamp_clock_id,
  };
}

/** The first packet clears the state and snaps the clock that later packets use by default. */
function checkSequence([first, ...rest]: Fields[]): void {
  const { clocks, primary_trace_clock: primary } = first.clock_snapshot, clock = first.trace_packet_defaults;
  if (first.sequence_flags !== 1 || clocks[0].clock_id !== clock.timestamp_clock_id || primary !== clocks[0].clock_id) {
    throw new Error("the first packet does not set the clock");
  }
  const wrong = rest.find((each) => each.trusted_packet_sequence_id !== first.trusted_packet_sequence_id);
  if (wrong || rest.some(({ sequence_flags: flags }) => flags !== 2)) throw new Error("a packet out of sequence");
}

function slicesOf(packets: Fields[], label: (uuid: number) => string): Slice[] {
  const names = new Map<number, string>(), events: Fields[] = [];
  for (const { timestamp, track_event: event, interned_data: interned } of packets) {
    for (const { iid, name } of interned?.event_names ?? []) names.set(iid, name);
    if (!event) continue;
    if (event.name_iid !== undefined && !names.has(event.name_iid)) throw new Error("an event with an unknown name");
    events.push({ ...event, time: timestamp, text: names.get(event.name_iid) ?? "" });
  }
  const open = new Map<number, Slice[]>(), slices: Slice[] = [];
  for (const event of events.sort((one, other) => one.time - other.time)) {
    const stack = open.get(event.track_uuid) ?? [], track = label(event.track_uuid);
    open.set(event.track_uuid, stack);
    if (event.type === "TYPE_SLICE_END") {
      const slice = stack.pop();
      if (!slice) throw new Error(`an end without a beginning on ${track}`);
      slice.end = event.time;
      Object.assign(slice.args, argsOf(event));
      continue;
    }
    const kind = KINDS[event.type];
    const slice: Slice = {
      track,
      kind,
      name: event.text,
      start: event.time,
      end: kind === "slice" ? Infinity : event.time,
      depth: stack.length,
      flows: event.flow_ids ?? [],
      args: argsOf(event),
      value: event.counter_value ?? event.double_counter_value,
    };
    slices.push(slice);
    if (kind === "slice") stack.push(slice);
  }
  return slices;
}

function argsOf({ debug_annotations: all = [] }: Fields): Record<string, unknown> {
  return Object.fromEntries(all.map((each: Fields) => [each.name, valueOf(each)]));
}

function valueOf(each: Fields): unknown {
  if (each.dict_entries) return Object.fromEntries(each.dict_entries.map((one: Fields) => [one.name, valueOf(one)]));
  if (each.array_values) return each.array_values.map(valueOf);
  return each.bool_value ?? each.int_value ?? each.double_value ?? each.string_value;
}

/** Returns a table of what a trace shows, for people. */
export function traceTable({ slices }: DecodedTrace): string {
  const first = slices[0]?.start ?? 0;
  return slices.map(({ track, kind, name, start, end, depth, flows, value, args }) => {
    const span = kind === "slice" ? ((end - start) / 1000).toFixed(1) : kind;
    const rest = `${value ?? ""} ${flows.map((flow) => `→${flow}`).join(" ")} ${JSON.stringify(args)}`;
    return `${((start - first) / 1000).toFixed(1).padStart(10)} ${span.padStart(10)} ${track.padEnd(44)} ${
      "  ".repeat(depth)
    }${name} ${rest}`;
  }).join("\n");
}
