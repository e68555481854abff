import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import type { Frame, FrameConsumer, FrameSource } from "../../../wsi/contract/frame_consumer.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";

/** Bytes of a pixel of the formats that tests use, by HAL_PIXEL_FORMAT value. */
const BYTES: Readonly<Record<number, number>> = { 1: 4, 2: 4, 3: 3, 4: 2, 5: 4, 0x16: 8, 0x2b: 4, 0x38: 1, 0x3b: 8 };

/** A buffer of any format with so many pixels from row to row. */
export function bufferOf(format: number, width: number, height: number, stride = width): GraphicBuffer {
  const rowPitch = stride * BYTES[format];
  const raw = allocateBuffer({ width: rowPitch, height, format: 0x38, usage: USAGE.CPU_READ_OFTEN });
  const { id, memory, handle } = raw, usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
  return new GraphicBuffer({ width, height, format, usage }, {
    id,
    stride,
    rowPitch,
    memory,
    handle,
    close: () => raw.close(),
  });
}

/** Fills a buffer of 4 bytes a pixel, padding included, with what a function says of x and y. */
export function paint(buffer: GraphicBuffer, color: (x: number, y: number) => number): GraphicBuffer {
  const bytes = buffer.lock(), words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  for (let y = 0; y < buffer.height; y++) {
    for (let x = 0; x < buffer.stride; x++) {
      words[y * buffer.stride + x] = x < buffer.width ? color(x, y) : 0xdeadbeef; // what must never be seen
    }
  }
  buffer.unlock();
  return buffer;
}

/** Members that a frame may have beside its buffer. */
export type Extras = Partial<Omit<Frame, "buffer" | "number" | "release">>;

/** A window without a producer: frames are what a test queues. */
export class FakeSource implements FrameSource, Disposable {
  width = 64;
  height = 48;
  /** Numbers of the frames given back, in order. */
  readonly released: number[] = [];
  /** The fences they were given back with; closed at the end. */
  readonly fences: (NativeFence | undefined)[] = [];
  /** Numbers reported as shown. */
  readonly shown: number[] = [];
  /** Sizes asked for. */
  readonly sizes: [number, number][] = [];
  /** Whether the consumer ended the window. */
  abandoned = false;
  #queue: Frame[] = [];
  #number = 0;
  #taken = 0;
  readonly #consumer: FrameConsumer;

  constructor(consumer: FrameConsumer) {
    this.#consumer = consumer;
    consumer.attach(this);
  }

  get pending(): number {
    return this.#queue.length;
  }

  acquire(): Frame | undefined {
    if (this.#taken >= (this.#consumer.maxAcquired ?? 1)) return undefined;
    const frame = this.#queue.shift();
    if (frame) this.#taken++;
    return frame;
  }

  resize(width: number, height: number): void {
    this.sizes.push([width, height]);
  }

  abandon(): void {
    this.abandoned = true;
  }

  presented(number: bigint, _when: bigint): void {
    this.shown.push(Number(number));
  }

  /** Puts a frame in the queue without telling the consumer. */
  put(buffer: GraphicBuffer, extras: Extras = {}): number {
    const number = ++this.#number, fence = extras.fence ?? NativeFence.signaled();
    let released = false;
    this.#queue.push({
      timestamp: 0n,
      dataspace: 0,
      transform: 0,
      scalingMode: 1,
      crop: { left: 0, top: 0, right: 0, bottom: 0 },
      damage: [],
      ...extras,
      buffer,
      fence,
      number: BigInt(number),
      release: (after) => {
        if (released) return;
        released = true;
        this.#taken--;
        fence.close();
        this.released.push(number);
        this.fences.push(after);
      },
    });
    return number;
  }

  /** Queues a frame as a producer does; its number. */
  queue(buffer: GraphicBuffer, extras?: Extras): number {
    const number = this.put(buffer, extras);
    this.#consumer.onFrame(this);
    return number;
  }

  /** Ends the window. */
  close(): void {
    this.#consumer.close?.();
    for (const fence of this.fences) fence?.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
