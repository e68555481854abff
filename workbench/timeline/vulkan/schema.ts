/**
 * Field numbers and constants of Perfetto's trace format, as its published
 * schema has them: only what a {@linkcode TraceWriter} writes.
 *
 * @module
 */

/** Trace */
export const TRACE = { packet: 1 } as const;

/** TracePacket */
export const PACKET = {
  clockSnapshot: 6,
  timestamp: 8,
  sequenceId: 10,
  trackEvent: 11,
  internedData: 12,
  sequenceFlags: 13,
  defaults: 59,
  trackDescriptor: 60,
} as const;

/** TracePacketDefaults */
export const DEFAULTS = { timestampClockId: 58 } as const;

/** Bits of TracePacket.sequence_flags: interned names begin anew; the packet uses interned names. */
export const SEQUENCE = { STATE_CLEARED: 1, NEEDS_STATE: 2 } as const;

/** ClockSnapshot and ClockSnapshot.Clock */
export const CLOCKS = { clocks: 1, primary: 2 } as const;
/** ClockSnapshot.Clock */
export const CLOCK = { id: 1, timestamp: 2 } as const;
/** BUILTIN_CLOCK_MONOTONIC */
export const MONOTONIC = 3;

/** TrackDescriptor */
export const TRACK = { uuid: 1, name: 2, process: 3, thread: 4, parentUuid: 5, counter: 8 } as const;
/** ProcessDescriptor */
export const PROCESS = { pid: 1, name: 6 } as const;
/** ThreadDescriptor */
export const THREAD = { pid: 1, tid: 2, name: 5 } as const;
/** CounterDescriptor */
export const COUNTER = { unitName: 6 } as const;

/** InternedData and EventName */
export const INTERNED = { eventNames: 2 } as const;
/** EventName */
export const NAME = { iid: 1, name: 2 } as const;

/** TrackEvent */
export const EVENT = {
  annotations: 4,
  type: 9,
  nameIid: 10,
  trackUuid: 11,
  counterValue: 30,
  doubleCounterValue: 44,
  flowIds: 47,
} as const;
/** TrackEvent.Type */
export const TYPE = { SLICE_BEGIN: 1, SLICE_END: 2, INSTANT: 3, COUNTER: 4 } as const;

/** DebugAnnotation */
export const ANNOTATION = {
  bool: 2,
  int: 4,
  double: 5,
  string: 6,
  name: 10,
  entries: 11,
  items: 12,
} as const;
