import { arena, inFrame } from "../../ffi/arena.ts";
import { Library } from "../../ffi/library/library.ts";
import { invokeAddress, peek32, peek64 } from "../../ffi/machine.ts";
import { bindByAddress } from "../../ffi/stubs.ts";
import { STATUS, type Status, WINDOW_MAGIC } from "../android_values.ts";
import type { Cta8613, FrameTimestamps, Rect, Smpte2086 } from "../contract/window.ts";

/** The offsets of the functions `query` and `perform` in ANativeWindow. */
const QUERY = 144n, PERFORM = 152n;
/** The queries that ANativeWindow_query answers: the minimum number of buffers, the size, the hint and the age. */
const PUBLIC_QUERIES = [3, 6, 7, 8, 13];
/** The functions without which no window can be used. */
const NEEDED = [
  "ANativeWindow_acquire",
  "ANativeWindow_release",
  "ANativeWindow_dequeueBuffer",
  "ANativeWindow_queueBuffer",
  "ANativeWindow_cancelBuffer",
];

/** Operations of `perform`, by their numbers in `window.h`. */
export const PERFORM_OPERATION = {
  SET_CROP: 3,
  SET_SCALING_MODE: 10,
  API_CONNECT: 13,
  API_DISCONNECT: 14,
  SET_BUFFERS_DATASPACE: 19,
  SET_SURFACE_DAMAGE: 20,
  GET_REFRESH_CYCLE_DURATION: 23,
  GET_NEXT_FRAME_ID: 24,
  ENABLE_FRAME_TIMESTAMPS: 25,
  GET_FRAME_TIMESTAMPS: 27,
  GET_CONSUMER_USAGE64: 31,
  SET_BUFFERS_SMPTE2086_METADATA: 32,
  SET_BUFFERS_CTA861_3_METADATA: 33,
  SET_DEQUEUE_TIMEOUT: 37,
} as const;

/**
 * The calls of a real ANativeWindow: through libnativewindow's functions, which have no variable arguments, and
 * otherwise through the window's own `query` and `perform`. The variable arguments of the latter are all integers and
 * pointers, which x86-64 and AArch64 (as Android and Linux use it) pass like named arguments.
 */
export class AndroidCalls implements Disposable {
  readonly #library: Library;
  readonly #window: bigint;
  readonly #symbols = new Map<string, bigint>();

  /**
   * Opens the library. Throws a `NativeError` if the library or a function without a substitute is missing, and a
   * `TypeError` for an address without a window.
   */
  constructor(window: bigint, library: string) {
    this.#window = window;
    const magic = window === 0n ? 0 : peek32(window);
    if (magic !== WINDOW_MAGIC) {
      const found = window === 0n ? "NULL" : `0x${magic.toString(16)} there`;
      throw new TypeError(
        `Cannot use 0x${window.toString(16)} as a window: found ${found}; give an ANativeWindow's address`,
      );
    }
    this.#library = Library.open(library);
    try {
      for (const name of NEEDED) this.#symbols.set(name, this.#library.require(name));
    } catch (error) {
      this.#library.close();
      throw error;
    }
  }

  /** The address of a function of the library; 0n for a missing function. */
  find(name: string): bigint {
    let address = this.#symbols.get(name);
    if (address === undefined) this.#symbols.set(name, address = this.#library.find(name));
    return address;
  }

  /**
   * Calls a function of the library with the window and further arguments. Returns INVALID_OPERATION for a missing
   * function.
   */
  call(name: string, signature: string, ...args: (number | bigint)[]): Status {
    const address = this.find(name);
    if (address === 0n) return STATUS.INVALID_OPERATION;
    return bindByAddress(signature)(this.#window, ...args, address) as Status;
  }

  /**
   * Calls the window's `perform`; the letters are the types of the arguments after the operation. Returns
   * INVALID_OPERATION for a missing function.
   */
  perform(operation: number, letters: string, ...args: (number | bigint)[]): Status {
    const address = peek64(this.#window + PERFORM);
    if (address === 0n) return STATUS.INVALID_OPERATION;
    return invokeAddress(address, `s:qs${letters}`, [this.#window, operation, ...args]) as Status;
  }

  /** Calls the library's function, or for a missing function the operation with the same meaning. */
  callOrPerform(name: string, operation: number, letters: string, ...args: (number | bigint)[]): Status {
    if (this.find(name) === 0n) return this.perform(operation, letters, ...args);
    return this.call(name, `s:q${letters}`, ...args);
  }

  /**
   * A value of the window, or a negative status. The library's query knows few values; the window's own query returns
   * the others.
   */
  query(what: number): number {
    return inFrame((memory) => {
      const at = memory.alloc(4);
      memory.view.setInt32(at, 0, true);
      const listed = PUBLIC_QUERIES.includes(what) ? this.find("ANativeWindow_query") : 0n;
      const query = listed || peek64(this.#window + QUERY);
      // int query(const ANativeWindow *window, int what, int *value), for both functions
      const status = query === 0n
        ? STATUS.INVALID_OPERATION
        : bindByAddress("s:qso")(this.#window, what, at, query) as Status;
      const value = memory.view.getInt32(at, true);
      return status < 0 ? status : value;
    });
  }

  /** Returns a 64-bit value that `perform` writes, or a status. */
  perform64(operation: number): bigint | Status {
    return inFrame((memory) => {
      const at = memory.alloc(8);
      memory.view.setBigInt64(at, 0n, true);
      const status = this.perform(operation, "o", at), value = memory.view.getBigInt64(at, true);
      return status < 0 ? status : value;
    });
  }

  /** Closes the library. A second call does nothing. */
  close(): void {
    this.#library.close();
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}

/** The members of FrameTimestamps in the order of native_window_get_frame_timestamps. */
const TIMES = [
  "requestedPresent",
  "acquire",
  "latch",
  "firstRefreshStart",
  "lastRefreshStart",
  "gpuCompositionDone",
  "displayPresent",
  "dequeueReady",
  "release",
] as const;

/** Places floats in the arena and returns their offset. */
function placeFloats(values: readonly number[]): number {
  const { view } = arena(), at = arena().alloc(4 * values.length);
  values.forEach((value, index) => view.setFloat32(at + 4 * index, value, true));
  return at;
}

/** Places an android_smpte2086_metadata in the arena and returns its offset; 0 for none. */
export function placeSmpte2086(metadata: Smpte2086 | undefined): number {
  if (!metadata) return 0;
  const { red, green, blue, white, maxLuminance, minLuminance } = metadata;
  const points = [red, green, blue, white].flatMap(({ x, y }) => [x, y]);
  return placeFloats([...points, maxLuminance, minLuminance]);
}

/** Places an android_cta861_3_metadata in the arena and returns its offset; 0 for none. */
export function placeCta8613(metadata: Cta8613 | undefined): number {
  return metadata ? placeFloats([metadata.maxContentLightLevel, metadata.maxFrameAverageLightLevel]) : 0;
}

/** Places android_native_rect_t structs in the arena and returns their offset. */
export function placeRects(rects: readonly Rect[]): number {
  const { view } = arena(), at = arena().alloc(16 * Math.max(rects.length, 1));
  rects.forEach(({ left, top, right, bottom }, index) =>
    [left, top, right, bottom].forEach((value, member) => view.setInt32(at + 16 * index + 4 * member, value, true))
  );
  return at;
}

/** Allocates memory for all timestamps and returns the offsets. */
export function placeTimes(): number[] {
  const at = arena().alloc(8 * TIMES.length);
  return TIMES.map((_, index) => at + 8 * index);
}

/** Reads the timestamps that native code wrote at the offsets. */
export function readTimes(offsets: readonly number[]): FrameTimestamps {
  const { view } = arena();
  const times = TIMES.map((name, index) => [name, view.getBigInt64(offsets[index], true)] as const);
  return Object.fromEntries(times) as unknown as FrameTimestamps;
}

/** Converts damage to OpenGL's rectangles, from the bottom left corner, as Android's windows expect. */
export function windowDamage(rects: readonly Rect[], height: number): Rect[] {
  return rects.map((rect) =>
    rect.top > rect.bottom ? rect : { ...rect, top: height - rect.top, bottom: height - rect.bottom }
  );
}
