import { checkOptions, object, type OptionRules, typed } from "../../ffi/check_options.ts";
import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { USAGE } from "../buffer/usage.ts";
import type { FrameConsumer, FrameSource } from "../contract/frame_consumer.ts";
import type { NativeBufferUse } from "../contract/window.ts";
import { BufferQueue } from "../queue/buffer_queue.ts";
import { STATUS } from "../status.ts";
import { CopyCount } from "./copy_count.ts";
import { FrameGate } from "./frame_gate.ts";
import { Surface } from "./surface.ts";
import { WindowMemory } from "./window_memory.ts";

/** Settings of a {@linkcode NativeWindow}. */
export interface NativeWindowOptions {
  /** Pixels. Default: the consumer's size. */
  readonly width?: number;
  /** Pixels. Default: the consumer's size. */
  readonly height?: number;
  /** What shows or keeps the frames. Default: nobody; a script takes them from {@linkcode NativeWindow.frames}. */
  readonly consumer?: FrameConsumer;
  /** How many frames are taken at a time. Default: as many as the consumer says, else 1. */
  readonly maxAcquired?: number;
  /** HAL_PIXEL_FORMAT of buffers that are asked for without one. Default 1, RGBA_8888. */
  readonly format?: number;
  /** Refreshes of the display in a second. Default 60. */
  readonly refreshRate?: number;
  /** NATIVE_WINDOW_TRANSFORM_… bits by which producers should turn what they draw. Default 0. */
  readonly transformHint?: number;
  /** Most buffers there may be, 1 to 64. Default 64. */
  readonly maxBufferCount?: number;
  /** Gets sentences that explain a status. */
  readonly log?: (message: string) => void;
  /** Gets what the consumer throws. Default: {@linkcode NativeWindow.close} throws the first of it. */
  readonly onError?: (error: unknown) => void;
}

/** What became of the frames of a window. */
export interface WindowStatistics {
  /** Frames that producers queued. */
  readonly queued: number;
  /** Frames that the consumer took, and the shared buffer each time it was taken. */
  readonly acquired: number;
  /** Of these, given back. */
  readonly released: number;
  /** Frames that made way for newer ones before they were taken. */
  readonly dropped: number;
  /** Buffers that producers gave back unused. */
  readonly cancelled: number;
  /** How often a frame's pixels were copied into a buffer of this window. */
  readonly copies: number;
  /** Whose native buffers the last swapchain used; absent while there was none. */
  readonly nativeBuffers?: NativeBufferUse;
}

const NUMBER = typed("a number", "number");
const RULES: OptionRules<NativeWindowOptions> = {
  width: NUMBER,
  height: NUMBER,
  consumer: object("what shows or keeps frames, such as pngConsumer()"),
  maxAcquired: NUMBER,
  format: NUMBER,
  refreshRate: NUMBER,
  transformHint: NUMBER,
  maxBufferCount: NUMBER,
  log: typed("a function that takes a sentence", "function"),
  onError: typed("a function that takes an error", "function"),
};

const NO_FRAMES = { queued: 0, acquired: 0, released: 0, dropped: 0, cancelled: 0 };

/**
 * A window as Android's apps have it, with its buffers and whoever takes them,
 * on any machine. Producers draw through the functions of {@linkcode Surface};
 * the consumer shows what they queue.
 */
export class NativeWindow extends Surface implements Disposable {
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

  /** Opens a window. Throws a `RangeError` for a size, count or rate that cannot be, or without a size. */
  constructor(options: NativeWindowOptions) {
    checkOptions("NativeWindow", options, RULES);
    const { refreshRate = 60, log, onError } = options;
    checkRate(refreshRate);
    const queue = new BufferQueue({ log });
    super(queue, BigInt(Math.round(1e9 / refreshRate)));
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

  /** The consumer's side, for a script that takes the frames itself. */
  get frames(): FrameSource {
    return this.#gate;
  }

  /** What became of the frames so far. */
  get statistics(): WindowStatistics {
    const used = this.#nativeBuffers;
    return { ...this.#statistics, copies: this.#copies.sum, ...used && { nativeBuffers: used } };
  }

  /** See {@linkcode Window.noteNativeBuffers}. */
  noteNativeBuffers(used: NativeBufferUse): void {
    this.#nativeBuffers = used;
  }

  /** Takes a reference: the address stays valid until it is released. */
  acquire(): void {
    this.#references++;
  }

  /** Drops a reference. */
  release(): void {
    if (this.#references === 0) return;
    if (--this.#references === 0) this.#memory.close();
  }

  /** Tells producers another size from the next buffer on. Throws a `RangeError` for a size that cannot be. */
  resize(width: number, height: number): void {
    checkSize(width, height);
    this.#queue.consumer.setDefaultBufferSize(width, height);
  }

  /** Tells producers how to turn what they draw, as when a display is rotated: NATIVE_WINDOW_TRANSFORM_… bits. */
  setTransformHint(hint: number): void {
    this.#queue.consumer.setTransformHint(hint);
  }

  /** See {@linkcode Window.pump}. What the consumer throws goes where it always does. */
  pump(): void {
    this.#gate.pump();
  }

  /** Ends the window and lets go of its buffers; producers get NO_INIT from now on. Throws what the consumer threw, without an `onError`. A second call does nothing. */
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

  /** A handler that throws is no better than none. */
  #report(error: unknown): void {
    if (!this.#onError) return void this.#errors.push(error);
    try {
      this.#onError(error);
    } catch (thrown) {
      this.#errors.push(thrown);
    }
  }

  #abandon(): void {
    if (this.#isEnding) return; // also when the consumer, being closed, abandons the window
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

  /** The display refreshes by itself only as long as somebody shows a buffer that way. */
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
  const { consumer, format = 1, transformHint = 0, maxBufferCount = 64 } = options;
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
