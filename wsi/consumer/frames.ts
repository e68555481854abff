import { callback, checkOptions, number, type OptionRules } from "../../ffi/check_options.ts";
import { monotonicNow } from "../../ffi/file/file_descriptor.ts";
import type { Frame, FrameConsumer, FrameSource } from "../contract/frame_consumer.ts";
import { FrameView } from "./frame_view.ts";

/**
 * The callback of {@linkcode callbackConsumer}. If the callback returns a Promise, the callback holds the frame until
 * the Promise is settled.
 */
export type FrameCallback = (frame: FrameView) => void | PromiseLike<unknown>;

/** Settings of {@linkcode callbackConsumer}. */
export interface FrameOptions {
  /** The most frames that callbacks hold at a time through Promises. Default 1. */
  readonly maxHeld?: number;
  /**
   * Gets an error that the callback throws, or with which its Promise is rejected. Default: the call that queues this
   * frame or the next one throws the error.
   */
  readonly onError?: (error: unknown) => void;
}

const RULES: OptionRules<FrameOptions> = {
  maxHeld: number,
  onError: callback("takes what the callback throws"),
};

/** A consumer that passes each frame to a callback. Made by {@linkcode callbackConsumer}. */
export class CallbackConsumer implements FrameConsumer {
  /** The most frames that the consumer holds at a time. */
  readonly maxAcquired: number;
  #callback: FrameCallback;
  #onError: ((error: unknown) => void) | undefined;
  #held = new Set<() => void>();
  #failures: unknown[] = [];
  #closed = false;
  #shown = 0;

  /** Use {@linkcode callbackConsumer}. */
  constructor(callback: FrameCallback, options: FrameOptions = {}) {
    checkOptions("callbackConsumer()", options, RULES);
    const { maxHeld = 1, onError } = options;
    if (!Number.isInteger(maxHeld) || maxHeld < 1) {
      throw new RangeError(`Cannot hold ${maxHeld} frames: give maxHeld a whole number from 1`);
    }
    this.maxAcquired = maxHeld;
    this.#callback = callback;
    this.#onError = onError;
  }

  /** Number of frames that the callback got. */
  get shown(): number {
    return this.#shown;
  }

  /** Number of frames that a callback's Promise holds. */
  get held(): number {
    return this.#held.size;
  }

  /** Does nothing. */
  attach(_source: FrameSource): void {}

  /** Passes every queued frame to the callback. Throws the callback's error, also that of an earlier Promise. */
  onFrame(source: FrameSource): void {
    latchAll(source, (frame) => this.#show(source, frame));
    if (this.#failures.length > 0) throw this.#failures.shift();
  }

  /**
   * Passes every queued frame to the callback. Frames that a Promise holds stay held, since the Promise cannot settle
   * while the producer waits.
   */
  pump(source: FrameSource): void {
    this.onFrame(source);
  }

  /** Releases the frames that are still held. */
  close(): void {
    this.#closed = true;
    for (const end of this.#held) end();
  }

  #show(source: FrameSource, frame: Frame): void {
    const view = new FrameView(frame);
    const end = () => this.#end(source, frame, view, end);
    this.#held.add(end);
    this.#shown++;
    try {
      const promise = this.#callback(view);
      if (typeof promise?.then === "function") this.#hold(source, promise, end);
      else end();
    } catch (error) {
      end();
      this.#fail(error);
    }
  }

  #hold(source: FrameSource, promise: PromiseLike<unknown>, end: () => void): void {
    const rejected = (error: unknown) => this.#failLater(error);
    promise.then(undefined, rejected).then(() => {
      end();
      if (!this.#closed && source.pending > 0) latchAll(source, (frame) => this.#show(source, frame));
    }).then(undefined, rejected);
  }

  #end(source: FrameSource, frame: Frame, view: FrameView, end: () => void): void {
    if (!this.#held.delete(end)) return;
    view.end();
    frame.release();
    source.presented(frame.number, monotonicNow());
  }

  #fail(error: unknown): void {
    if (!this.#onError) throw error;
    this.#onError(error);
  }

  #failLater(error: unknown): void {
    if (this.#onError) this.#onError(error);
    else this.#failures.push(error);
  }
}

/**
 * Creates a consumer that passes each frame to a callback after the frame is drawn. The callback runs inside the call
 * that queues the frame. A callback that returns a Promise holds the frame until the Promise is settled; producers wait
 * if no buffer is free.
 *
 * @example Counting red pixels
 * ```ts ignore
 * import { callbackConsumer } from "@pumice/gfx/wsi";
 *
 * const consumer = callbackConsumer((frame) => {
 *   const { data } = frame.toRgba();
 *   let red = 0;
 *   for (let at = 0; at < data.length; at += 4) if (data[at] > 200) red++;
 *   console.log(`frame ${frame.number}: ${red} of ${frame.width * frame.height}`);
 * });
 * ```
 */
export function callbackConsumer(callback: FrameCallback, options?: FrameOptions): CallbackConsumer {
  return new CallbackConsumer(callback, options);
}

/**
 * Takes the oldest queued frame, waits until the frame is drawn, and hands it
 * to `show`. From then on `show` owns the frame, and releases it now or later;
 * if `show` throws, the frame is released here and the error goes on. Returns
 * `false` if no frame is queued.
 */
function latch(source: FrameSource, show: (frame: Frame) => void): boolean {
  const frame = source.acquire();
  if (!frame) return false;
  try {
    frame.fence.wait();
    show(frame);
  } catch (error) {
    frame.release();
    throw error;
  }
  return true;
}

/** The same with every frame that can be taken. */
export function latchAll(source: FrameSource, show: (frame: Frame) => void): void {
  while (latch(source, show));
}
