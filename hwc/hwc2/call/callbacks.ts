import { fittedLong, fittedNumber } from "../../arguments.ts";
import type { Call } from "./call.ts";
import type { Native } from "../values/numbers.ts";
import { OUT_TIMELINE } from "../values/outputs.ts";
import type { VsyncPeriodChangeTimeline } from "../../composer_records.ts";

/** A callback of hwcomposer2.h behind its data and display. */
export interface CallbackShape {
  /** For ffi/, data and display first. */
  readonly signature: string;
  /** Converts C's arguments for TypeScript. */
  read(natives: readonly Native[]): unknown[];
  /** Converts TypeScript's arguments for C. */
  write(values: readonly unknown[], call: Call): Native[];
}

const NOTHING: CallbackShape = { signature: "v:qq", read: () => [], write: () => [] };

const CALLED_BACK = "what a callback is told";

function signed(time: Native): bigint {
  return BigInt.asIntN(64, time as bigint);
}

function unsigned(time: unknown): bigint {
  return BigInt.asUintN(64, fittedLong("i64", time, CALLED_BACK));
}

/** The callbacks by their `hwc2_callback_descriptor_t`. */
export const CALLBACK_SHAPES: Readonly<Record<number, CallbackShape>> = {
  1: {
    signature: "v:qqs",
    read: ([connection]) => [connection],
    write: ([connection]) => [fittedNumber("i32", connection, CALLED_BACK)],
  },
  2: NOTHING,
  3: { signature: "v:qqq", read: ([time]) => [signed(time)], write: ([time]) => [unsigned(time)] },
  4: {
    signature: "v:qqqw",
    read: ([time, period]) => [signed(time), period],
    write: ([time, period]) => [unsigned(time), fittedNumber("u32", period, CALLED_BACK)],
  },
  5: {
    signature: "v:qqq",
    read: ([at]) => [OUT_TIMELINE.read(at as bigint)],
    write: ([timeline], call) => {
      const at = call.place(OUT_TIMELINE.size);
      OUT_TIMELINE.write(at, timeline as VsyncPeriodChangeTimeline);
      return [at];
    },
  },
  6: NOTHING,
};
