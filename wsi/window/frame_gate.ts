import type { Frame, FrameConsumer, FrameRequest, FrameSource } from "../contract/frame_consumer.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { BufferItem } from "../queue/buffer_item.ts";
import type { BufferQueue } from "../queue/buffer_queue.ts";

/** What the gate tells its window. */
export interface GateEvents {
  /** A frame was taken. */
  acquired(item: BufferItem): void;
  /** It was given back. */
  released(): void;
  /** The consumer threw. */
  failed(error: unknown): void;
  /** The consumer ended the window. */
  abandoned(): void;
  /** The consumer changed the size. */
  resized(width: number, height: number): void;
}

/** The consumer's side of a window: hands its frames out, and stands between it and a consumer that fails. */
export class FrameGate implements FrameSource {
  readonly #queue: BufferQueue;
  readonly #consumer: FrameConsumer | undefined;
  readonly #events: GateEvents;
  readonly #held = new Set<HeldFrame>();
  readonly #most: number;
  #repeatDue = false;
  #taken = 0;

  /** Between a queue and its consumer, which holds so many frames at a time; without one, a script takes the frames. */
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

  /** Lets the consumer begin. */
  attach(): void {
    this.#consumer?.attach(this);
  }

  /** A frame was queued. */
  announce(): void {
    this.#guarded((consumer) => consumer.onFrame(this));
  }

  /** A refresh of the display: the shared buffer may be taken again. */
  refresh(): void {
    this.#repeatDue = true;
    this.announce();
  }

  /** Lets the consumer release a buffer; whether anything is different now. */
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

  /** Runs the consumer. The frames it took and did not give back when it threw are given back for it; if it took none, the oldest one is. */
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

  /** Ends it: the consumer gives back what it holds, or has it taken away. */
  close(): void {
    try {
      this.#consumer?.close?.();
    } catch (error) {
      this.#events.failed(error);
    }
    for (const frame of this.#held) frame.release();
  }
}

/** A frame in the consumer's hands. */
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
