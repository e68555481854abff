import { closeDescriptor, duplicate } from "../../../ffi/file/file_descriptor.ts";
import { peek32, peek8, poke32, poke8 } from "../../../ffi/machine.ts";
import { importHandle } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { bufferOfHandle } from "../../../wsi/buffer/known_buffers.ts";
import { WsiError } from "../../../wsi/error.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { VsyncPeriodChangeConstraints } from "../../composer_records.ts";
import { refuse } from "../../core/refusal.ts";
import { type Color, ERROR, type Rect } from "../../types.ts";
import type { Call } from "../call/call.ts";
import {
  joinFloats,
  joinInts,
  type Native,
  peekFloat,
  peekTime,
  pokeFloat,
  pokeTime,
  splitFloats,
  splitInts,
} from "./numbers.ts";

/** A parameter of hwcomposer2.h that the caller gives, which may be several native arguments. */
export interface Input<Value> {
  /** The letters of its arguments. */
  readonly letters: string;
  /** Whether they are one struct of two integer registers, by value: both in registers, or both on the stack. */
  readonly isPair?: boolean;
  /** The value of native arguments. */
  read(natives: readonly Native[], call: Call): Value;
  /** The native arguments of a value. */
  write(value: Value, call: Call): Native[];
}

/** uint64_t */
export const Q: Input<bigint> = {
  letters: "q",
  read: ([value]) => value as bigint,
  write: (value) => [BigInt.asUintN(64, value)],
};

function number(letters: string, clean: (value: number) => number): Input<number> {
  return { letters, read: ([value]) => clean(value as number), write: (value) => [clean(value)] };
}

/** uint32_t */
export const W: Input<number> = number("w", (value) => value >>> 0);
/** int32_t */
export const S: Input<number> = number("s", (value) => value | 0);
/** float */
export const F: Input<number> = number("f", (value) => value);
/** uint8_t: what else is in the register is nobody's. */
export const U8: Input<number> = number("w", (value) => value & 0xff);
/** bool */
export const BOOL: Input<boolean> = {
  letters: "w",
  read: (natives, call) => U8.read(natives, call) !== 0,
  write: (value) => [Number(value)],
};

/** hwc_color_t by value: four bytes of a register. */
export const COLOR: Input<Color> = {
  letters: "w",
  read: ([value]) => {
    const [r, g, b, a] = [0, 8, 16, 24].map((shift) => value as number >>> shift & 0xff);
    return { r, g, b, a };
  },
  write: ({ r, g, b, a }) => [[r, g, b, a].reduce((all, byte, at) => all | (byte & 0xff) << 8 * at, 0) >>> 0],
};

/** hwc_rect_t by value. */
export const RECT: Input<Rect> = {
  letters: "qq",
  isPair: true,
  read: ([low, high]) => {
    const [left, top] = splitInts(low as bigint), [right, bottom] = splitInts(high as bigint);
    return { left, top, right, bottom };
  },
  write: ({ left, top, right, bottom }) => [joinInts(left, top), joinInts(right, bottom)],
};

/** Four floats by value travel two to a vector register on x86-64, one to each on AArch64. */
const IN_TWO = Deno.build.arch === "x86_64";

function fourFloats<Name extends string>(...names: [Name, Name, Name, Name]): Input<Readonly<Record<Name, number>>> {
  return {
    letters: IN_TWO ? "dd" : "ffff",
    read: (natives) => {
      const floats = IN_TWO ? natives.flatMap((one) => splitFloats(one as number)) : natives as number[];
      return Object.fromEntries(names.map((name, at) => [name, floats[at]])) as Record<Name, number>;
    },
    write: (struct) => {
      const [a, b, c, d] = names.map((name) => struct[name]);
      return IN_TWO ? [joinFloats(a, b), joinFloats(c, d)] : [a, b, c, d];
    },
  };
}

/** hwc_frect_t by value. */
export const FRECT: Input<Rect> = fourFloats("left", "top", "right", "bottom");

/** hwc_float_color_t by value. */
export const FLOAT_COLOR: Input<Color> = fourFloats("r", "g", "b", "a");

/** An address that must not be NULL if there is something there. */
export function pointer(native: Native, count = 1): bigint {
  if (native === 0n && count > 0) refuse(ERROR.BAD_PARAMETER, "a pointer is NULL; give an address");
  return native as bigint;
}

const RECT_SIZE = 16;

/** hwc_region_t by value: how many rectangles, and where. */
export const REGION: Input<readonly Rect[]> = {
  letters: "qq",
  isPair: true,
  read: ([count, at]) => {
    const start = pointer(at, Number(count));
    return Array.from({ length: Number(count) }, (_, index) => rectAt(start + BigInt(RECT_SIZE * index)));
  },
  write: (rects, call) => {
    if (rects.length === 0) return [0n, 0n];
    const at = call.place(RECT_SIZE * rects.length);
    rects.flatMap(({ left, top, right, bottom }) => [left, top, right, bottom])
      .forEach((edge, index) => poke32(at + BigInt(4 * index), edge));
    return [BigInt(rects.length), at];
  },
};

function rectAt(at: bigint): Rect {
  const [left, top, right, bottom] = [0n, 4n, 8n, 12n].map((offset) => peek32(at + offset) | 0);
  return { left, top, right, bottom };
}

/** const float[16] */
export const MATRIX: Input<readonly number[]> = {
  letters: "q",
  read: ([at]) => {
    const start = pointer(at);
    return Array.from({ length: 16 }, (_, index) => peekFloat(start + BigInt(4 * index)));
  },
  write: (matrix, call) => {
    if (matrix.length !== 16) refuse(ERROR.BAD_PARAMETER, `a matrix has ${matrix.length} numbers; give 16`);
    const at = call.place(64);
    matrix.forEach((value, index) => pokeFloat(at + BigInt(4 * index), value));
    return [at];
  },
};

/** const hwc_vsync_period_change_constraints_t* */
export const CONSTRAINTS: Input<VsyncPeriodChangeConstraints> = {
  letters: "q",
  read: ([at]) => {
    const start = pointer(at);
    return { desiredTimeNanos: peekTime(start), seamlessRequired: peek8(start + 8n) !== 0 };
  },
  write: ({ desiredTimeNanos, seamlessRequired }, call) => {
    const at = call.place(16);
    pokeTime(at, desiredTimeNanos);
    poke8(at + 8n, Number(seamlessRequired));
    return [at];
  },
};

/** buffer_handle_t: NULL for no buffer. */
export const BUFFER: Input<GraphicBuffer | null> = {
  letters: "q",
  read: ([handle], call) => handle === 0n ? null : bufferOfHandle(handle as bigint) ?? imported(handle as bigint, call),
  write: (buffer, call) => {
    if (!buffer) return [0n];
    if (buffer.isClosed) refuse(ERROR.BAD_PARAMETER, "the buffer is closed; give an open one");
    const owner = buffer.retain();
    call.afterwards(() => owner.close());
    return [buffer.handle];
  },
};

/** The buffer of a handle that somebody cloned. */
function imported(handle: bigint, call: Call): GraphicBuffer {
  try {
    const buffer = importHandle(handle);
    call.afterwards(() => buffer.close());
    return buffer;
  } catch (error) {
    if (!(error instanceof WsiError)) throw error;
    refuse(ERROR.BAD_PARAMETER, error.message);
  }
}

/** Another file descriptor for one of the caller's. */
function copied(fd: number): number {
  const copy = duplicate(fd);
  if (copy < 0) refuse(ERROR.NO_RESOURCES, `fence ${fd} cannot be duplicated; is it open?`);
  return copy;
}

/** A fence as the file descriptor of a copy, which somebody must close; -1 for one that the device could not import. */
function descriptorOf(fence: NativeFence | null, call: Call): number {
  if (!fence) return -1;
  const copy = fence.dup();
  if (!call.takesAnyFence && copy.kind !== "sync_file") {
    call.withheld.push(copy);
    return -1;
  }
  try {
    return copy.take();
  } catch (error) {
    copy.close();
    throw error;
  }
}

/** A fence's file descriptor, the device's when the call succeeds; one that fails leaves it the caller's. */
export const TAKEN_FENCE: Input<NativeFence | null> = {
  letters: "s",
  read: ([native], call) => {
    const fd = native as number;
    if (fd < 0) return null;
    const fence = NativeFence.adopt(copied(fd));
    call.afterwards((succeeded) => succeeded ? closeDescriptor(fd) : fence.close());
    return fence;
  },
  write: (fence, call) => {
    const fd = descriptorOf(fence, call);
    call.afterwards((succeeded) => succeeded ? fence?.close() : closeDescriptor(fd));
    return [fd];
  },
};

/** A fence's file descriptor that stays the caller's. */
export const LENT_FENCE: Input<NativeFence | null> = {
  letters: "s",
  read: ([native], call) => {
    if (native as number < 0) return null;
    const fence = NativeFence.adopt(copied(native as number));
    call.afterwards(() => fence.close());
    return fence;
  },
  write: (fence, call) => {
    const fd = descriptorOf(fence, call);
    call.afterwards(() => closeDescriptor(fd));
    return [fd];
  },
};
