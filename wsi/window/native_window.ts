import { checkOptions, object, type OptionRules, typed } from "../../ffi/check_options.ts";
import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { USAGE } from "../buffer/usage.ts";
import type { FrameConsumer, FrameSource } from "../contract/frame_consumer.ts";
import type { NativeBufferUse } from "../contract/window.ts";
import { BufferQueue } from "../queue/buffer_queue.ts";
import type { QueueWatcher } from "../queue/listeners.ts";
import { FORMAT, STATUS, TRANSFORM } from "../android_values.ts";
import { CopyCount } from "./copy_count.ts";
import { FrameGate } from "./frame_gate.ts";
import { Surface } from "./surface.ts";
import { WindowMemory } from "./window_memory.ts";

/** Settings of a {@linkcode NativeWindow}. */
export interface NativeWindowOptions {
  /** The window's name in traces. Default: none. */
  readonly name?: string;
  /** Width in pixels. Default: the consumer's width. */
  readonly width?: number;
  /** Height in pixels. Default: the consumer's height. */
  readonly height?: number;
  /**
   * The consumer that shows or keeps the frames. Default: none; a script acquires frames from
   * {@linkcode NativeWindow.frames}.
   */
  readonly consumer?: FrameConsumer;
  /** The most frames that the consumer holds at a time. Default: the consumer's `maxAcquired`, otherwise 1. */
  readonly maxAcquired?: number;
  /** The format of buffers that are requested without one, of `FORMAT`. Default `FORMAT.RGBA_8888`. */
  readonly defaultFormat?: number;
  /** Refresh rate of the display in hertz. Default 60. */
  readonly refreshRate?: number;
  /** The transform by which producers should rotate their drawing, one of `TRANSFORM`. Default `TRANSFORM.NONE`. */
  readonly transformHint?: number;
  /** Maximum number of buffers, 1 to 64. Default 64. */
  readonly maxBufferCount?: number;
  /** Gets a sentence that explains a status. Default: no messages. */
  readonly log?: (message: string) => void;
  /** Gets the consumer's errors. Default: {@linkcode NativeWindow.close} throws the first error. */
  readonly onError?: (error: unknown) => void;
}

/** Counters of the frames of a window. */
export interface WindowStatistics {
  /** Number of frames that producers queued. */
  readonly queued: number;
  /** Number of frames that the consumer acquired; a shared buffer counts each time. */
  readonly acquired: number;
  /** Number of acquired frames that were released. */
  readonly released: number;
  /** Number of frames that were replaced by newer frames before they were acquired. */
  readonly dropped: number;
  /** Number of buffers that producers returned unused. */
  readonly cancelled: number;
  /** Number of copies of a frame's pixels into a buffer of this window. */
  readonly copies: number;
  /** The provider of native buffers of the last swapchain; absent before the first swapchain. */
  readonly nativeBuffers?: NativeBufferUse;
}

const NUMBER = typed("a number", "number");
const RULES: OptionRules<NativeWindowOptions> = {
  name: typed("a text", "string"),
  width: NUMBER,
  height: NUMBER,
  consumer: object("what shows or keeps frames, such as pngConsumer()"),
  maxAcquired: NUMBER,
  defaultFormat: NUMBER,
  refreshRate: NUMBER,
  transformHint: NUMBER,
  maxBufferCount: NUMBER,
  log: typed("a function that takes a sentence", "function"),
  onError: typed("a function that takes an error", "function"),
};

const NO_FRAMES = { queued: 0, acquired: 0, released: 0, dropped: 0, cancelled: 0 };

/**
 * A window like those of Android's apps, with its buffers and its consumer, on any machine. Producers draw through the
 * functions of {@linkcode Surface}; the consumer shows the queued frames.
 */
export class NativeWindow extends Surface implements Disposable {
  /** The window's name in traces; `undefined` for a window without one. */
  readonly name: string | undefined;
  readonly #memory: WindowMemory;
  readonly #queue: BufferQueue;
  readonly #gate: FrameGate;
  readonly #copies = new CopyCount();
  readonly #statistics = { ...NO_FRAMES };
  readonly #refreshRate: number;
  readonly #onError: ((error: unknown) => void) | undefined;
  readonly #errors: unknown[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;
  #references = 1;
  #nativeBuffers: NativeBufferUse | undefined;
  #hasExplained = false;
  #isEnding = false;
  #closed = false;

  /** Opens a window. Throws a `RangeError` for an invalid size, count or rate, and without a size. */
  constructor(options: NativeWindowOptions) {
    checkOptions("NativeWindow", options, RULES);
    const { refreshRate = 60, log, onError } = options;
    checkRate(refreshRate);
    const queue = new BufferQueue({ log });
    super(queue, BigInt(Math.round(1e9 / refreshRate)));
    this.name = options.name;
    this.#queue = queue;
    this.#refreshRate = refreshRate;
    this.#onError = onError;
    this.#gate = this.#makeGate(options);
    setUp(queue, options);
    queue.consumer.connect({
      onFrameAvailable: () => this.#announce(),
      onFrameReplaced: () => this.#announce(1),
      onFrameDropped: () => void this.#statistics.dropped++,
      onProducerWaits: () => this.#pump(log),
    });
    this.#memory = new WindowMemory(this);
    try {
      this.#gate.attach();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #makeGate(options: NativeWindowOptions): FrameGate {
    const statistics = this.#statistics;
    return new FrameGate(this.#queue, options.consumer, mostAcquired(options), {
      acquired: () => statistics.acquired++,
      released: () => statistics.released++,
      failed: (error) => this.#report(error),
      abandoned: () => this.#abandon(),
      resized: (width, height) => this.resize(width, height),
    });
  }

  /** See {@linkcode Window.address}. */
  get address(): bigint {
    return this.#memory.address;
  }

  /** The consumer's side, for a script that acquires frames itself. */
  get frames(): FrameSource {
    return this.#gate;
  }

  /** The counters of the window's frames. */
  get statistics(): WindowStatistics {
    const used = this.#nativeBuffers;
    return { ...this.#statistics, copies: this.#copies.sum, ...used && { nativeBuffers: used } };
  }

  /** See {@linkcode Window.noteNativeBuffers}. */
  noteNativeBuffers(used: NativeBufferUse): void {
    this.#nativeBuffers = used;
  }

  /** Calls a watcher as the window's buffers change hands. Returns a function that ends this. */
  watch(watcher: QueueWatcher): () => void {
    return this.#queue.watch(watcher);
  }

  /** Takes a reference: the address stays valid until the reference is released. */
  acquire(): void {
    this.#references++;
  }

  /** Releases a reference. */
  release(): void {
    if (this.#references === 0) return;
    if (--this.#references === 0) this.#memory.close();
  }

  /** Gives producers another size from the next buffer on. Throws a `RangeError` for an invalid size. */
  resize(width: number, height: number): void {
    checkSize(width, height);
    this.#queue.consumer.setDefaultBufferSize(width, height);
  }

  /**
   * Sets how producers should rotate their drawing, for example for a rotated display: NATIVE_WINDOW_TRANSFORM_… bits.
   */
  setTransformHint(hint: number): void {
    this.#queue.consumer.setTransformHint(hint);
  }

  /** See {@linkcode Window.pump}. The consumer's errors go to `onError`, as always. */
  pump(): void {
    this.#gate.pump();
  }

  /**
   * Closes the window and releases its buffers; producers get NO_INIT from now on. Without an `onError`, throws the
   * consumer's first error. A second call does nothing.
   */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#abandon();
    this.release();
    const [error] = this.#errors;
    if (error !== undefined) throw error;
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** Reports an error. A handler that throws counts as no handler. */
  #report(error: unknown): void {
    if (!this.#onError) return void this.#errors.push(error);
    try {
      this.#onError(error);
    } catch (thrown) {
      this.#errors.push(thrown);
    }
  }

  #abandon(): void {
    if (this.#isEnding) return; // a consumer that is being closed may abandon the window, too
    this.#isEnding = true;
    if (this.#timer !== undefined) clearInterval(this.#timer);
    this.#timer = undefined;
    this.#gate.close();
    this.#queue.consumer.disconnect();
  }

  #announce(dropped = 0): void {
    this.#statistics.queued++;
    this.#statistics.dropped += dropped;
    this.#gate.announce();
  }

  #pump(log: ((message: string) => void) | undefined): boolean {
    if (this.#gate.pump()) return true;
    if (!this.#hasExplained) {
      this.#hasExplained = true;
      const { queued, acquired } = this.#queue.count();
      log?.(
        `Cannot dequeue a buffer: ${queued} are queued and ${acquired} held by the consumer, which runs on this thread, ` +
          "so that waiting for it would never end; release frames, or set more buffers",
      );
    }
    return false;
  }

  /** See {@linkcode Surface.onBuffer}. */
  protected override onBuffer(what: "new" | "cancelled", buffer: GraphicBuffer): void {
    if (what === "new") this.#copies.add(buffer);
    else this.#statistics.cancelled++;
  }

  /**
   * Starts or stops refreshing; the display refreshes by itself only while a shared buffer is shown with auto refresh.
   */
  protected override onRefreshChange(): void {
    const { refreshes } = this.#queue.consumer;
    if (refreshes === (this.#timer !== undefined)) return;
    if (refreshes) {
      const timer = this.#timer = setInterval(() => this.#gate.refresh(), 1000 / this.#refreshRate);
      Deno.unrefTimer(timer);
      return;
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function setUp(queue: BufferQueue, options: NativeWindowOptions): void {
  const { consumer, defaultFormat: format = FORMAT.RGBA_8888, transformHint = TRANSFORM.NONE, maxBufferCount = 64 } =
    options;
  const width = options.width ?? consumer?.size?.width, height = options.height ?? consumer?.size?.height;
  checkSize(width, height);
  const side = queue.consumer;
  side.setDefaultBufferSize(width!, height!);
  side.setDefaultBufferFormat(format);
  side.setTransformHint(transformHint);
  side.setConsumerUsageBits(consumer?.usage ?? USAGE.CPU_READ_OFTEN);
  const maxAcquired = mostAcquired(options);
  if (side.setMaxAcquiredBufferCount(maxAcquired) !== STATUS.OK) {
    throw new RangeError(`Cannot open a window whose consumer holds ${maxAcquired} frames: give 1 to 62`);
  }
  if (side.setMaxBufferCount(maxBufferCount) !== STATUS.OK) {
    throw new RangeError(`Cannot open a window with at most ${maxBufferCount} buffers: give ${maxAcquired} to 64`);
  }
}

function mostAcquired({ maxAcquired, consumer }: NativeWindowOptions): number {
  return maxAcquired ?? consumer?.maxAcquired ?? 1;
}

function checkSize(width: unknown, height: unknown): void {
  const isSize = (value: unknown) => Number.isInteger(value) && (value as number) > 0;
  if (isSize(width) && isSize(height)) return;
  throw new RangeError(`Cannot have a window of ${width} by ${height} pixels: give whole numbers from 1 on`);
}

function checkRate(rate: number): void {
  if (rate > 0 && rate < Infinity) return;
  throw new RangeError(`Cannot refresh a window ${rate} times a second: give a number above 0`);
}
