import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { dropBuffer, holdBuffer } from "../../../wsi/queue/buffer_hold.ts";
import { isOver } from "../../../wsi/fence/careful_fence.ts";
import { FORMAT } from "../../types.ts";

/** The number of buffers: one on the display, one on its way, one to draw into. */
const MOST = 3;
/** Milliseconds to wait for a display that keeps all buffers. */
const PATIENCE = 1000;
const TARGET_USAGE = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN | USAGE.GPU_RENDER_TARGET |
  USAGE.COMPOSER_CLIENT_TARGET | USAGE.COMPOSER_OVERLAY;

interface Slot {
  readonly buffer: GraphicBuffer;
  release: NativeFence | undefined;
}

/** The buffers that a display's client composition goes to, made when they are needed. */
export class ClientTargets {
  readonly #forget: (buffer: GraphicBuffer) => void;
  #slots: Slot[] = [];
  #shown: Slot | undefined;
  /** The buffer that is drawn, but not on its way yet. */
  #next: Slot | undefined;

  /** The callback `forget` gets each buffer that will not be drawn again. */
  constructor(forget: (buffer: GraphicBuffer) => void) {
    this.#forget = forget;
  }

  /** The number of entries. */
  get count(): number {
    return this.#slots.length;
  }

  /** Returns the buffer that is shown, if the buffer has this size. */
  shown(width: number, height: number): GraphicBuffer | undefined {
    const buffer = this.#shown?.buffer;
    return !this.#next && buffer?.width === width && buffer.height === height ? buffer : undefined;
  }

  /**
   * Returns a buffer of a size that nobody reads, to be shown next. A buffer of a frame that failed was never shown,
   * and is drawn again.
   */
  next(width: number, height: number): GraphicBuffer {
    const [first] = this.#slots;
    if (first && (first.buffer.width !== width || first.buffer.height !== height)) this.close();
    const slot = this.#next ??= this.#free() ?? this.#make(width, height) ?? this.#oldest();
    slot.release?.close();
    slot.release = undefined;
    return slot.buffer;
  }

  /** Notes that the frame with the last buffer is on its way: the buffer before is free when the frame appears. */
  presented(fence: NativeFence): void {
    const before = this.#shown;
    if (!this.#next) return;
    this.#shown = this.#next;
    this.#next = undefined;
    if (before) before.release = fence.dup();
  }

  /** Closes all buffers, each as soon as the composer does not use it any more. */
  close(): void {
    for (const { buffer, release } of this.#slots) {
      release?.close();
      this.#forget(buffer);
      dropBuffer(buffer);
    }
    this.#slots = [];
    this.#shown = this.#next = undefined;
  }

  #free(): Slot | undefined {
    return this.#slots.find((slot) => slot !== this.#shown && (!slot.release || isOver(slot.release)));
  }

  #make(width: number, height: number): Slot | undefined {
    if (this.#slots.length >= MOST) return undefined;
    const buffer = holdBuffer(allocateBuffer({ width, height, format: FORMAT.RGBA_8888, usage: TARGET_USAGE }));
    const slot: Slot = { buffer, release: undefined };
    this.#slots.push(slot);
    return slot;
  }

  #oldest(): Slot {
    const slot = this.#slots.find((each) => each !== this.#shown && each.release) ?? this.#slots[0];
    slot.release?.wait(PATIENCE);
    return slot;
  }
}
