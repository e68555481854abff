/**
 * A value of a trace in JSON:
 *
 * - numbers, enums and flags of up to 32 bits are numbers; NaN, infinities and
 *   minus zero, which JSON lacks, are the strings `"NaN"`, `"Infinity"`,
 *   `"-Infinity"` and `"-0"`
 * - 64-bit values and sizes are decimal strings, handles and addresses
 *   hexadecimal strings with `0x`
 * - a struct is an object by C member names, without `sType`; `pNext`, unless
 *   NULL, is a list of structs that have their `sType`; a struct outside the
 *   registry is `{ sType, address }`
 * - bytes are `{ bytes: "hexadecimals" }`; SPIR-V is a list of words; more than
 *   a MiB is written as its address
 * - NULL, and a pointer that the specification ignores, is null
 */
export type TraceValue = null | boolean | number | string | TraceValue[] | TraceFields;

/** Members of a struct, or parameters of a command, by their C names. */
export interface TraceFields {
  /** The value of a member or parameter. */
  [name: string]: TraceValue;
}

/** The first line of a trace. */
export interface TraceHeader {
  /** The name of the format. */
  readonly schema: "pumice-api-trace";
  /** Version of the format, increased when the meaning of lines changes. */
  readonly version: 1;
}

/** The line before a call, with the inputs. */
export interface TraceCall {
  /** Number of the traced call, from 1. */
  readonly call: number;
  /** The number of frames that had ended before. */
  readonly frame: number;
  /** The command's name. */
  readonly command: string;
  /** The values that the driver reads: structs with their chains, arrays, and the room of lists to fill. */
  readonly in: TraceFields;
}

/** The line after a call, with the outputs. A `TraceCall` without a `TraceReturn` is a call that did not return. */
export interface TraceReturn {
  /** The number of the call. */
  readonly call: number;
  /** The command's name. */
  readonly command: string;
  /** The values that the driver wrote; empty if the call failed. */
  readonly out: TraceFields;
  /** The result, if the command has one. */
  readonly result?: number | string;
  /** Duration in microseconds, including everything below the layer. */
  readonly us: number;
  /** The error that a layer below threw. */
  readonly threw?: string;
}

/** A line of a trace, parsed. */
export type TraceLine = TraceHeader | TraceCall | TraceReturn;
