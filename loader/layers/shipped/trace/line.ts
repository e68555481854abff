/**
 * A value of a trace, as JSON has it:
 *
 * - numbers, enums and flags of up to 32 bits are numbers; NaN, infinities and minus zero, which JSON lacks, are the
 *   strings `"NaN"`, `"Infinity"`, `"-Infinity"` and `"-0"`
 * - 64-bit values and sizes are strings in decimals, handles and addresses strings in hexadecimals with `0x`
 * - a struct is an object by C member names, without `sType`; `pNext`, where it is not NULL, is a list of structs that
 *   do name their `sType`; one that the registry does not know is `{ sType, address }`
 * - bytes are `{ bytes: "hexadecimals" }`; SPIR-V is a list of words; what is larger than a MiB is its address
 * - NULL, and a pointer that the specification says is ignored, is null
 */
export type TraceValue = null | boolean | number | string | TraceValue[] | TraceFields;

/** Members of a struct, or parameters of a command, by their C names. */
export interface TraceFields {
  /** The value of one. */
  [name: string]: TraceValue;
}

/** The first line of a trace. */
export interface TraceHeader {
  /** What this is. */
  readonly schema: "pumice-api-trace";
  /** Goes up when the meaning of lines changes. */
  readonly version: 1;
}

/** The line before a call: what the caller gave. */
export interface TraceCall {
  /** Counts the traced calls from 1. */
  readonly call: number;
  /** How many frames had ended before. */
  readonly frame: number;
  /** The command's name. */
  readonly command: string;
  /** What the driver reads: values, structs with their chains, arrays, and the room in lists to be filled. */
  readonly in: TraceFields;
}

/** The line after a call: what came back. A `TraceCall` without it is a call that did not return. */
export interface TraceReturn {
  /** The number of the call. */
  readonly call: number;
  /** The command's name. */
  readonly command: string;
  /** What the driver wrote; nothing when the call failed. */
  readonly out: TraceFields;
  /** What it returned, if it returns something. */
  readonly result?: number | string;
  /** Microseconds it took, with all that lies below the layer. */
  readonly us: number;
  /** What a layer below threw. */
  readonly threw?: string;
}

/** A line of a trace, parsed. */
export type TraceLine = TraceHeader | TraceCall | TraceReturn;
