import { monotonicNow } from "../../../ffi/file/file_descriptor.ts";
import type { Frame, FrameConsumer, FrameRequest, FrameSource } from "../../../wsi/contract/frame_consumer.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { BufferQueue } from "../../../wsi/queue/buffer_queue.ts";
import { timeOver } from "../../../wsi/fence/careful_fence.ts";
import { FrameGate } from "../../../wsi/window/frame_gate.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";
import { STATUS } from "../../../wsi/android_values.ts";
import { changed, checkChange, DEFAULT_STATE, type LayerState } from "./layer_state.ts";
import type { LatchedFrame, LayerOptions, SurfaceLayer } from "./surface_layer.ts";

/** Callbacks of a layer. */
export interface LayerEvents {
  /** A frame was queued. */
  queued(): void;
  /** Called when the layer's producer waits for a free buffer. */
  starving(layer: FlingerLayer): void;
  /** Called with a change of the layer's state. */
  change(layer: FlingerLayer, change: Partial<LayerState>): void;
  /** Called with a new place of a cursor. */
  moveCursor(layer: FlingerLayer, x: number, y: number): void;
  /** Called when the layer was closed. */
  closed(layer: FlingerLayer): void;
  /** A sentence for people. */
  log(message: string): void;
}

/** The frame that the layer shows, and the next frame until the shown one can go. */
const MOST_HELD = 2;
/** The number of taken frames that are remembered: more than can be on their way to displays. */
const MOST_REMEMBERED = 4;

/** A layer, with its state in the compositor. */
export class FlingerLayer implements SurfaceLayer, FrameConsumer {
  readonly name: string;
  readonly window: NativeWindow | undefined;
  readonly usage: bigint;
  readonly maxAcquired: number = MOST_HELD;
  readonly latched: LatchedFrame[] = [];
  state: LayerState;
  readonly #events: LayerEvents;
  #source: FrameSource | undefined;
  #end: () => void = () => {};
  #current: Frame | undefined;
  #replaced: Frame | undefined;
  #release: NativeFence | undefined;
  #told = 0n;
  #isClosed = false;

  /** Opens the layer's window. */
  constructor(options: LayerOptions, events: LayerEvents) {
    const { name = "layer", window, queue, ...state } = options;
    checkChange(state);
    this.name = name;
    this.state = changed(DEFAULT_STATE, state);
    this.#events = events;
    const { usage = USAGE.CPU_READ_OFTEN | USAGE.COMPOSER_OVERLAY, ...size }: Partial<NonNullable<typeof window>> =
      window ?? {};
    this.usage = usage;
    if (queue) this.#consume(queue);
    else if (window) {
      const opened = new NativeWindow({ ...size, name: options.name, consumer: this, log: events.log });
      this.window = opened;
      this.#end = () => opened.close();
    }
  }

  #consume(queue: BufferQueue): void {
    const gate = new FrameGate(queue, this, MOST_HELD, {
      acquired: () => {},
      released: () => {},
      failed: (error) => this.#events.log(`layer "${this.name}": ${error}`),
      abandoned: () => this.#end(),
      resized: (width, height) => void queue.consumer.setDefaultBufferSize(width, height),
    });
    const announce = () => gate.announce();
    const listener = { onFrameAvailable: announce, onFrameReplaced: announce, onProducerWaits: () => gate.pump() };
    const isFirst = queue.consumer.connect(listener) === STATUS.OK;
    if (!isFirst || queue.consumer.setMaxAcquiredBufferCount(MOST_HELD) !== STATUS.OK) {
      const why = isFirst ? "a producer is connected already" : "it has ended";
      throw new RangeError(
        `Cannot make a layer of a queue: ${why}; give the queue to the layer before a producer connects`,
      );
    }
    queue.consumer.setConsumerUsageBits(this.usage);
    this.#end = () => {
      this.#end = () => {};
      gate.close();
      queue.consumer.disconnect();
    };
    gate.attach();
  }

  /** The frame that the layer shows. */
  get frame(): Frame | undefined {
    return this.#current;
  }

  get frameNumber(): bigint | undefined {
    return this.#current?.number;
  }

  /** Whether a frame waits to be taken. */
  get isWaiting(): boolean {
    return (this.#source?.pending ?? 0) > 0;
  }

  attach(source: FrameSource): void {
    this.#source = source;
  }

  onFrame(): void {
    this.#events.queued();
  }

  /** Gives a producer that does not wait its next buffer after a vsync. */
  pump({ producerWaits = true }: FrameSource): void {
    if (producerWaits) this.#events.starving(this);
  }

  /**
   * Takes the next frame for a refresh. Returns whether there was one. The frame before stays until {@linkcode
   * FlingerLayer.giveBack}.
   */
  latch(request: FrameRequest): boolean {
    if (this.#replaced) return false; // a frame that did not get through yet
    const frame = this.#source?.acquire({ ...request, onlyDrawn: true, autoIsDue: true });
    if (!frame) return false;
    this.#replaced = this.#current;
    this.#current = frame;
    this.latched.push(latchedOf(frame));
    if (this.latched.length > MOST_REMEMBERED) this.latched.shift();
    return true;
  }

  /** Whether a frame was not given back yet. */
  has({ number }: { readonly number: bigint }): boolean {
    return number === this.#current?.number || number === this.leaving;
  }

  /** The number of the frame that will be given back. */
  get leaving(): bigint | undefined {
    return this.#replaced?.number;
  }

  /** Notes that the layer's frame is read until this fence is signalled. Consumes the fence. */
  addRelease(fence: NativeFence): void {
    if (this.#isClosed) return fence.close(); // its frames went with it
    const before = this.#release;
    this.#release = before ? NativeFence.merge(before, fence) : fence;
    if (!before) return;
    before.close();
    fence.close();
  }

  /** Gives the frame before back to its producer, to be written when nobody reads it any more. */
  giveBack(): void {
    const frame = this.#replaced;
    if (!frame) return;
    frame.release(this.#release);
    this.#replaced = this.#release = undefined;
  }

  /** A frame was on a display. */
  presented(number: bigint, when: bigint): void {
    if (number <= this.#told) return;
    this.#told = number;
    this.#source?.presented(number, when);
  }

  set(change: Partial<LayerState>): void {
    this.#events.change(this, change);
  }

  moveCursor(x: number, y: number): void {
    this.#events.moveCursor(this, x, y);
  }

  /** Whether the connection was closed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.giveBack();
    this.#release?.close();
    this.#current?.release();
    this.#current = undefined;
    this.#source = undefined;
    this.#end();
    this.#events.closed(this);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function latchedOf({ number, buffer, timestamp, fence }: Frame): LatchedFrame {
  const now = monotonicNow();
  return { number, buffer: buffer.id, queued: timestamp < now ? timestamp : now, drawn: timeOver(fence) };
}
