import { checkOptions, number, type OptionRules, text } from "../../ffi/check_options.ts";
import { arena, inFrame } from "../../ffi/arena.ts";
import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { settleForKernel, takeSyncFile } from "../fence/careful_fence.ts";
import { NativeFence } from "../fence/native_fence.ts";
import { USAGE } from "../buffer/usage.ts";
import { STATUS, type Status } from "../android_values.ts";
import { AndroidBuffers } from "./android_buffers.ts";
import {
  AndroidCalls,
  PERFORM_OPERATION as OPERATION,
  placeCta8613,
  placeRects,
  placeSmpte2086,
  placeTimes,
  readTimes,
  windowDamage,
} from "./android_calls.ts";
import type {
  Cta8613,
  DequeuedBuffer,
  FrameTimestamps,
  Rect,
  Smpte2086,
  Window,
  WindowQuery,
} from "../contract/window.ts";

/** Settings of {@linkcode androidWindow}. */
export interface AndroidWindowOptions {
  /** The library with the functions of `vndk/window.h`. Default `"libnativewindow.so"`. */
  readonly library?: string;
  /** Milliseconds to wait for a fence that the consumer cannot import. Default 5000, longer than any frame. */
  readonly timeout?: number;
}

const RULES: OptionRules<AndroidWindowOptions> = {
  library: text("the path of a library"),
  timeout: number,
};

/** A real ANativeWindow with a reference, which is released on close. */
export interface AndroidWindow extends Window, Disposable {
  /**
   * Releases the reference and forgets the window's buffers; the window must not be used afterwards. A second call does
   * nothing.
   */
  close(): void;
}

/** NATIVE_WINDOW_… of `window.h`. */
const QUERIES: Readonly<Record<Exclude<WindowQuery, "CONSUMER_USAGE_BITS">, number>> = {
  FORMAT: 2,
  MIN_UNDEQUEUED_BUFFERS: 3,
  DEFAULT_WIDTH: 6,
  DEFAULT_HEIGHT: 7,
  TRANSFORM_HINT: 8,
  DEFAULT_DATASPACE: 12,
  BUFFER_AGE: 13,
  IS_VALID: 17,
  MAX_BUFFER_COUNT: 21,
};

/**
 * Creates a window for a real ANativeWindow* of an app or another library, on Android. Statuses are Android's.
 * INVALID_OPERATION stands for a function that libnativewindow and the window lack. Buffers cannot be locked; drivers
 * use their handles.
 *
 * The consumer gets only sync_files and -1, which kernel drivers can import. Any other fence of a returned buffer is
 * waited for first; if the fence is not signalled in time, the result is TIMED_OUT, and the buffer stays dequeued.
 * Throws a `TypeError` for an address without a window, and a `NativeError` without the library.
 *
 * @example
 * ```ts ignore
 * import { androidWindow, openGpu } from "@pumice/gfx";
 *
 * const address = 0x7f00_1000n; // of the ANativeWindow that the app has
 * using gpu = openGpu({ window: androidWindow(address) });
 * const target = await gpu.swapchain.acquire();
 * console.log(target.width, target.height);
 * gpu.swapchain.present();
 * ```
 */
export function androidWindow(address: bigint, options: AndroidWindowOptions = {}): AndroidWindow {
  checkOptions("androidWindow()", options, RULES);
  return new WrappedWindow(address, options);
}

class WrappedWindow implements AndroidWindow {
  readonly address: bigint;
  readonly #calls: AndroidCalls;
  readonly #timeout: number;
  readonly #buffers = new AndroidBuffers();
  #damage: readonly Rect[] = [];
  #closed = false;

  constructor(address: bigint, { library = "libnativewindow.so", timeout = 5000 }: AndroidWindowOptions) {
    this.address = address;
    this.#timeout = timeout;
    this.#calls = new AndroidCalls(address, library);
    this.acquire();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#buffers.clear();
    this.release();
    this.#calls.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  acquire(): void {
    this.#calls.call("ANativeWindow_acquire", "v:q");
  }

  release(): void {
    this.#calls.call("ANativeWindow_release", "v:q");
  }

  apiConnect(api: number): Status {
    return this.#calls.perform(OPERATION.API_CONNECT, "s", api);
  }

  apiDisconnect(api: number): Status {
    const status = this.#calls.perform(OPERATION.API_DISCONNECT, "s", api);
    if (status === STATUS.OK) this.#buffers.clear();
    return status;
  }

  query(what: Exclude<WindowQuery, "CONSUMER_USAGE_BITS">): number {
    return this.#calls.query(QUERIES[what]);
  }

  consumerUsage(): bigint | Status {
    const usage = this.#calls.perform64(OPERATION.GET_CONSUMER_USAGE64);
    return typeof usage === "bigint" ? BigInt.asUintN(64, usage) : usage;
  }

  setSwapInterval(interval: number): Status {
    return this.#calls.call("ANativeWindow_setSwapInterval", "s:qs", interval);
  }

  setDequeueTimeout(timeout: bigint): Status {
    const { SET_DEQUEUE_TIMEOUT } = OPERATION;
    return this.#calls.callOrPerform("ANativeWindow_setDequeueTimeout", SET_DEQUEUE_TIMEOUT, "q", unsigned(timeout));
  }

  setSharedBufferMode(shared: boolean): Status {
    return this.#calls.call("ANativeWindow_setSharedBufferMode", "s:qw", Number(shared));
  }

  setAutoRefresh(on: boolean): Status {
    return this.#calls.call("ANativeWindow_setAutoRefresh", "s:qw", Number(on));
  }

  setBuffersFormat(format: number): Status {
    return this.#calls.call("ANativeWindow_setBuffersFormat", "s:qs", format);
  }

  /** The library's own function refuses most dataspaces that the window takes. */
  setBuffersDataspace(dataspace: number): Status {
    const status = this.#calls.perform(OPERATION.SET_BUFFERS_DATASPACE, "s", dataspace);
    if (status !== STATUS.INVALID_OPERATION) return status;
    return this.#calls.call("ANativeWindow_setBuffersDataSpace", "s:qs", dataspace);
  }

  setBuffersDimensions(width: number, height: number): Status {
    return this.#calls.call("ANativeWindow_setBuffersDimensions", "s:qww", width >>> 0, height >>> 0);
  }

  setBuffersTransform(transform: number): Status {
    return this.#calls.call("ANativeWindow_setBuffersTransform", "s:qs", transform);
  }

  setScalingMode(mode: number): Status {
    return this.#calls.perform(OPERATION.SET_SCALING_MODE, "s", mode);
  }

  setBufferCount(count: number): Status {
    if (!Number.isInteger(count) || count < 0) return STATUS.BAD_VALUE;
    return this.#calls.call("ANativeWindow_setBufferCount", "s:qq", BigInt(count));
  }

  setUsage(usage: bigint): Status {
    return this.#calls.call("ANativeWindow_setUsage", "s:qq", unsigned(usage & ~USAGE.LAYOUT_RULE_MASK));
  }

  setBuffersTimestamp(timestamp: bigint): Status {
    return this.#calls.call("ANativeWindow_setBuffersTimestamp", "s:qq", unsigned(timestamp));
  }

  /** Keeps the rectangles until a buffer is queued, because the buffer's height is needed to flip them. */
  setSurfaceDamage(rects: readonly Rect[]): Status {
    this.#damage = [...rects];
    return STATUS.OK;
  }

  setBuffersSmpte2086(metadata: Smpte2086 | undefined): Status {
    return inArena(() => this.#calls.perform(OPERATION.SET_BUFFERS_SMPTE2086_METADATA, "o", placeSmpte2086(metadata)));
  }

  setBuffersCta8613(metadata: Cta8613 | undefined): Status {
    return inArena(() => this.#calls.perform(OPERATION.SET_BUFFERS_CTA861_3_METADATA, "o", placeCta8613(metadata)));
  }

  refreshCycleDuration(): bigint {
    return BigInt(this.#calls.perform64(OPERATION.GET_REFRESH_CYCLE_DURATION));
  }

  enableFrameTimestamps(on: boolean): Status {
    return this.#calls.perform(OPERATION.ENABLE_FRAME_TIMESTAMPS, "w", Number(on));
  }

  nextFrameId(): bigint {
    return BigInt(this.#calls.perform64(OPERATION.GET_NEXT_FRAME_ID));
  }

  frameTimestamps(frame: bigint): FrameTimestamps | Status {
    return inArena(() => {
      const times = placeTimes(), { GET_FRAME_TIMESTAMPS } = OPERATION;
      const status = this.#calls.perform(GET_FRAME_TIMESTAMPS, `q${"o".repeat(times.length)}`, frame, ...times);
      return status === STATUS.OK ? readTimes(times) : status;
    });
  }

  /** Dequeues a buffer. May block as the window does, until a buffer is free or the timeout is over. */
  dequeueBuffer(): DequeuedBuffer | Status {
    return inArena(() => {
      const memory = arena(), buffer = memory.alloc(8), fence = memory.alloc(4);
      memory.view.setBigUint64(buffer, 0n, true);
      memory.view.setInt32(fence, -1, true);
      const status = this.#calls.call("ANativeWindow_dequeueBuffer", "s:qoo", buffer, fence);
      if (status !== STATUS.OK) return status;
      return this.#adopt(memory.view.getBigUint64(buffer, true), memory.view.getInt32(fence, true));
    });
  }

  /** Wraps a native buffer. A buffer that cannot be identified or described goes back at once. */
  #adopt(address: bigint, fence: number): DequeuedBuffer | Status {
    try {
      return { buffer: this.#buffers.dequeued(address), fence: NativeFence.adopt(fence) };
    } catch {
      this.#calls.call("ANativeWindow_cancelBuffer", "s:qqs", address, fence);
      return STATUS.BAD_VALUE;
    }
  }

  queueBuffer(buffer: GraphicBuffer, fence: NativeFence): Status {
    if (this.#damage.length > 0) this.#sendDamage(buffer.height);
    return this.#handBack("ANativeWindow_queueBuffer", buffer, fence);
  }

  cancelBuffer(buffer: GraphicBuffer, fence: NativeFence): Status {
    return this.#handBack("ANativeWindow_cancelBuffer", buffer, fence);
  }

  #sendDamage(height: number): void {
    const rects = windowDamage(this.#damage, height);
    this.#damage = [];
    inArena(() => this.#calls.perform(OPERATION.SET_SURFACE_DAMAGE, "oq", placeRects(rects), BigInt(rects.length)));
  }

  /** Queues or cancels a buffer. Always consumes the fence. */
  #handBack(name: string, buffer: GraphicBuffer, fence: NativeFence): Status {
    using _fence = fence;
    const address = this.#buffers.addressOf(buffer);
    if (address === 0n) return STATUS.BAD_VALUE;
    if (!settleForKernel(fence, this.#timeout)) return STATUS.TIMED_OUT;
    const status = this.#calls.call(name, "s:qqs", address, takeSyncFile(fence));
    if (status === STATUS.OK) this.#buffers.handedBack(address);
    return status;
  }
}

/** Calls `run`, and frees the arena memory that `run` allocated. */
function inArena<Result>(run: () => Result): Result {
  return inFrame(() => run());
}

function unsigned(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}
