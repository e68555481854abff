import { peek32, peek64, peek8, poke32, poke64, poke8 } from "../../../ffi/machine.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { fittedLong, fittedNumber } from "../../arguments.ts";
import type { ClientTargetProperty, VsyncPeriodChangeTimeline } from "../../composer_records.ts";
import { peekFloat, peekTime, pokeFloat, pokeTime } from "./numbers.ts";

/** An output that the device writes to the caller's memory. */
export interface Output<Value> {
  /** Bytes. */
  readonly size: number;
  /** Reads the value. */
  read(at: bigint): Value;
  /** Puts it there. */
  write(at: bigint, value: Value): void;
  /** Writes the value that stays when the call fails. */
  clear?(at: bigint): void;
  /** Drops a value that nobody uses. */
  discard?(value: Value): void;
}

const ANSWER = "the composer's answer";

/** A number of 32 bits or less, which must fit: a composer that somebody else wrote may answer anything. */
function number(kind: "u8" | "i32" | "u32", size: number, read: (at: bigint) => number): Output<number> {
  const poke = size === 1 ? poke8 : poke32;
  return { size, read, write: (at, value) => poke(at, fittedNumber(kind, value, ANSWER)) };
}

/** uint64_t */
export const OUT_Q: Output<bigint> = {
  size: 8,
  read: peek64,
  write: (at, value) => poke64(at, fittedLong("u64", value, ANSWER)),
};
/** uint32_t */
export const OUT_W: Output<number> = number("u32", 4, peek32);
/** int32_t */
export const OUT_S: Output<number> = number("i32", 4, (at) => peek32(at) | 0);
/** uint8_t */
export const OUT_U8: Output<number> = number("u8", 1, peek8);
/** float */
export const OUT_F: Output<number> = {
  size: 4,
  read: peekFloat,
  write: (at, value) => pokeFloat(at, fittedNumber("f32", value, ANSWER)),
};
/** bool */
export const OUT_BOOL: Output<boolean> = {
  size: 1,
  read: (at) => peek8(at) !== 0,
  write: (at, value) => poke8(at, Number(value)),
};
/** A bool that is an int. */
export const OUT_INT_BOOL: Output<boolean> = {
  size: 4,
  read: (at) => peek32(at) !== 0,
  write: (at, value) => poke32(at, Number(value)),
};

/** A fence's file descriptor, the caller's; -1 for none. */
export const OUT_FENCE: Output<NativeFence> = {
  size: 4,
  read: (at) => NativeFence.adopt(peek32(at) | 0),
  write: (at, fence) => poke32(at, fence.take()),
  clear: (at) => poke32(at, -1),
  discard: (fence) => fence.close(),
};

/** float[16] */
export const OUT_MATRIX: Output<number[]> = {
  size: 64,
  read: (at) => Array.from({ length: 16 }, (_, index) => peekFloat(at + BigInt(4 * index))),
  write: (at, matrix) => matrix.forEach((value, index) => OUT_F.write(at + BigInt(4 * index), value)),
};

/** hwc_vsync_period_change_timeline_t */
export const OUT_TIMELINE: Output<VsyncPeriodChangeTimeline> = {
  size: 24,
  read: (at) => ({
    newVsyncAppliedTimeNanos: peekTime(at),
    refreshRequired: peek8(at + 8n) !== 0,
    refreshTimeNanos: peekTime(at + 16n),
  }),
  write: (at, { newVsyncAppliedTimeNanos, refreshRequired, refreshTimeNanos }) => {
    pokeTime(at, fittedLong("i64", newVsyncAppliedTimeNanos, ANSWER));
    poke8(at + 8n, Number(refreshRequired));
    pokeTime(at + 16n, fittedLong("i64", refreshTimeNanos, ANSWER));
  },
};

/** hwc_client_target_property_t */
export const OUT_PROPERTY: Output<ClientTargetProperty> = {
  size: 8,
  read: (at) => ({ pixelFormat: peek32(at) | 0, dataspace: peek32(at + 4n) | 0 }),
  write: (at, { pixelFormat, dataspace }) => {
    OUT_S.write(at, pixelFormat);
    OUT_S.write(at + 4n, dataspace);
  },
};
