import type { Frame, FrameConsumer, FrameRequest, FrameSource } from "../contract/frame_consumer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { BufferItem } from "../queue/buffer_item.ts";
import type { BufferQueue } from "../queue/buffer_queue.ts";

/** The events that a gate reports to its window. */
export interface GateEvents {
  /** Called when a frame was acquired. */
  acquired(item: BufferItem): void;
  /** Called when a frame was released. */
  released(): void;
  /** Called when the consumer threw an error. */
  failed(error: unknown): void;
  /** Called when the consumer ended the window. */
  abandoned(): void;
  /** Called when the consumer changed the size. */
  resized(width: number, height: number): void;
}

/** The consumer's side of a window: hands out its frames, and protects the window from a consumer that fails. */
export class FrameGate implements FrameSource {
  readonly #queue: BufferQueue;
  readonly #consumer: FrameConsumer | undefined;
  readonly #events: GateEvents;
  readonly #held = new Set<HeldFrame>();
  readonly #most: number;
  #repeatDue = false;
  #taken = 0;

  /**
   * Stands between a queue and its consumer, which holds a number of frames at a time. Without a consumer, a script
   * acquires the frames.
   */
  constructor(queue: BufferQueue, consumer: FrameConsumer | undefined, most: number, events: GateEvents) {
    this.#queue = queue;
    this.#consumer = consumer;
    this.#events = events;
    this.#most = most;
  }

  /** See FrameSource. */
  get width(): number {
    return this.#queue.defaultSize.width;
  }

  /** See FrameSource. */
  get height(): number {
    return this.#queue.defaultSize.height;
  }

  /** See FrameSource; the shared buffer counts once a refresh. */
  get pending(): number {
    const { pending } = this.#queue.consumer;
    return pending > 0 || !this.#mayRepeat ? pending : 1;
  }

  /** See FrameSource. */
  get producerWaits(): boolean {
    return this.#queue.producerWaits;
  }

  get #mayRepeat(): boolean {
    return this.#repeatDue && this.#queue.consumer.refreshes;
  }

  /** See FrameSource. */
  acquire(request?: FrameRequest): Frame | undefined {
    if (this.#held.size >= this.#most || this.pending === 0) return undefined;
    const item = this.#queue.consumer.acquireBuffer(request);
    if (typeof item === "number") return undefined;
    this.#repeatDue = false;
    const frame = new HeldFrame(item, (fence) => this.#release(frame, fence));
    this.#held.add(frame);
    this.#taken++;
    this.#events.acquired(item);
    return frame;
  }

  #release(frame: HeldFrame, fence: NativeFence | undefined): void {
    if (!this.#held.delete(frame)) return fence?.close();
    this.#queue.consumer.releaseItem(frame.item, fence);
    this.#events.released();
  }

  /** See FrameSource. */
  resize(width: number, height: number): void {
    this.#events.resized(width, height);
  }

  /** See FrameSource. */
  abandon(): void {
    this.#events.abandoned();
  }

  /** See FrameSource. */
  presented(number: bigint, when: bigint): void {
    this.#queue.consumer.presented(number, when);
  }

  /** Attaches the consumer. */
  attach(): void {
    this.#consumer?.attach(this);
  }

  /** Tells the consumer that a frame was queued. */
  announce(): void {
    this.#guarded((consumer) => consumer.onFrame(this));
  }

  /** Tells the consumer about a refresh of the display, after which the shared buffer may be acquired again. */
  refresh(): void {
    this.#repeatDue = true;
    this.announce();
  }

  /** Asks the consumer to release a buffer. Returns whether anything has changed. */
  pump(): boolean {
    const before = this.#progress();
    this.#guarded((consumer) => {
      if (consumer.pump) consumer.pump(this);
      else if (this.pending > 0) consumer.onFrame(this);
    });
    return this.#progress() !== before;
  }

  #progress(): string {
    const { free, queued, acquired } = this.#queue.count();
    return `${free} ${queued} ${acquired}`;
  }

  /**
   * Runs the consumer. If the consumer throws, the frames that it acquired meanwhile and did not release are released;
   * if it acquired none, the oldest frame is.
   */
  #guarded(run: (consumer: FrameConsumer) => void): void {
    if (!this.#consumer) return;
    const before = new Set(this.#held), count = this.#taken;
    try {
      run(this.#consumer);
    } catch (error) {
      const taken = [...this.#held].filter((frame) => !before.has(frame));
      if (this.#taken === count) this.acquire()?.release();
      for (const frame of taken) frame.release();
      this.#events.failed(error);
    }
  }

  /** Ends the consumer's part: frames that the consumer does not release are taken from it. */
  close(): void {
    try {
      this.#consumer?.close?.();
    } catch (error) {
      this.#events.failed(error);
    }
    for (const frame of this.#held) frame.release();
  }
}

/** A frame that the consumer has. */
class HeldFrame implements Frame {
  readonly item: BufferItem;
  readonly #release: (fence: NativeFence | undefined) => void;

  constructor(item: BufferItem, release: (fence: NativeFence | undefined) => void) {
    this.item = item;
    this.#release = release;
  }

  get buffer() {
    return this.item.buffer;
  }

  get fence() {
    return this.item.fence;
  }

  get number() {
    return this.item.frameNumber;
  }

  get timestamp() {
    return this.item.timestamp;
  }

  get dataspace() {
    return this.item.dataspace;
  }

  get transform() {
    return this.item.transform;
  }

  get scalingMode() {
    return this.item.scalingMode;
  }

  get crop() {
    return this.item.crop;
  }

  get damage() {
    return this.item.damage;
  }

  get smpte2086() {
    return this.item.smpte2086;
  }

  get cta8613() {
    return this.item.cta8613;
  }

  release(fence?: NativeFence): void {
    this.#release(fence);
  }
}
