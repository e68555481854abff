import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { NativeFence } from "../fence/native_fence.ts";
import type { QueueInput } from "../queue/buffer_item.ts";
import type { BufferQueue } from "../queue/buffer_queue.ts";
import { DATASPACE, INVERSE_DISPLAY, SCALING_MODE, STATUS, type Status, TRANSFORM } from "../android_values.ts";
import { bufferDamage, inBuffer } from "./damage.ts";
import type {
  Cta8613,
  DequeuedBuffer,
  FrameTimestamps,
  Rect,
  Smpte2086,
  Window,
  WindowQuery,
} from "../contract/window.ts";

/** NATIVE_WINDOW_TIMESTAMP_AUTO: the time of queueing. */
export const TIMESTAMP_AUTO: bigint = -(2n ** 63n);
/** All NATIVE_WINDOW_TRANSFORM_… bits. */
const TRANSFORM_BITS = TRANSFORM.ROT_270 | INVERSE_DISPLAY;

/** The settings for all later buffers; reset to these values when a producer disconnects. */
interface Requests {
  width: number;
  height: number;
  format: number;
  usage: bigint;
  dataspace: number;
  scalingMode: number;
  transform: number;
  crop: Rect | undefined;
}

/** The producer's side of a window over a queue, like Android's Surface. */
export abstract class Surface implements Window {
  /** See {@linkcode Window.address}. */
  abstract readonly address: bigint;
  /** See {@linkcode Window.acquire}. */
  abstract acquire(): void;
  /** See {@linkcode Window.acquire}. */
  abstract release(): void;
  readonly #queue: BufferQueue;
  readonly #refreshCycle: bigint;
  #requests: Requests = noRequests();
  #timestamp = TIMESTAMP_AUTO;
  #damage: readonly Rect[] = [];
  #smpte2086: Smpte2086 | undefined;
  #cta8613: Cta8613 | undefined;
  #shared = false;
  #autoRefresh = false;
  /** The buffer of shared mode, which the producer keeps and which is shown again and again. */
  #sharedBuffer: { buffer: GraphicBuffer; slot: number; wasQueued: boolean } | undefined;

  /** Takes a queue and the refresh period of the display in nanoseconds. */
  constructor(queue: BufferQueue, refreshCycle: bigint) {
    this.#queue = queue;
    this.#refreshCycle = refreshCycle;
  }

  /** Called when the state of the shared buffer may have changed. */
  protected onRefreshChange(): void {}

  /** Called when the producer gets a buffer for the first time, and when a buffer is cancelled. */
  protected onBuffer(_what: "new" | "cancelled", _buffer: GraphicBuffer): void {}

  /**
   * See {@linkcode Window.apiConnect}. Returns BAD_VALUE if a producer is connected, NO_INIT if the window is closed.
   */
  apiConnect(api: number): Status {
    const output = this.#queue.producer.connect(api);
    return typeof output === "number" ? output : STATUS.OK;
  }

  /** See {@linkcode Window.apiDisconnect}. The producer's buffers are released, and its settings are reset. */
  apiDisconnect(api: number): Status {
    const status = this.#queue.producer.disconnect(api);
    if (status !== STATUS.OK) return status;
    this.#requests = noRequests();
    this.#sharedBuffer = undefined;
    this.#queue.history.enable(false);
    this.onRefreshChange();
    return STATUS.OK;
  }

  /** See {@linkcode Window.query}. */
  query(what: Exclude<WindowQuery, "CONSUMER_USAGE_BITS">): number {
    if (what === "IS_VALID") return this.#queue.isAbandoned ? 0 : 1;
    if (this.#queue.isAbandoned) return STATUS.NO_INIT;
    const { producer, maxBufferCount, transformHint } = this.#queue;
    switch (what) {
      case "DEFAULT_WIDTH":
        return producer.query("WIDTH");
      case "DEFAULT_HEIGHT":
        return producer.query("HEIGHT");
      case "FORMAT":
        return this.#requests.format || producer.query("FORMAT");
      case "MAX_BUFFER_COUNT":
        return maxBufferCount;
      case "TRANSFORM_HINT":
        return transformHint;
      default:
        return producer.query(what);
    }
  }

  /** See {@linkcode Window.consumerUsage}. */
  consumerUsage(): bigint | Status {
    return this.#queue.isAbandoned ? STATUS.NO_INIT : this.#queue.consumerUsage;
  }

  /** See {@linkcode Window.setSwapInterval}: 0 is mailbox; every greater value is 1. */
  setSwapInterval(interval: number): Status {
    return this.#queue.producer.setAsyncMode(interval <= 0);
  }

  /** See {@linkcode Window.setDequeueTimeout}. */
  setDequeueTimeout(timeout: bigint): Status {
    return this.#queue.producer.setDequeueTimeout(timeout);
  }

  /** See {@linkcode Window.setSharedBufferMode}. */
  setSharedBufferMode(shared: boolean): Status {
    const status = this.#queue.producer.setSharedBufferMode(shared);
    if (status === STATUS.OK) this.#shared = shared;
    this.onRefreshChange();
    return status;
  }

  /** See {@linkcode Window.setAutoRefresh}. */
  setAutoRefresh(on: boolean): Status {
    const status = this.#queue.producer.setAutoRefresh(on);
    if (status === STATUS.OK) this.#autoRefresh = on;
    this.onRefreshChange();
    return status;
  }

  /** See {@linkcode Window.setBuffersFormat}; 0 is the window's default. */
  setBuffersFormat(format: number): Status {
    return this.#set({ format }, isCount(format));
  }

  /** See {@linkcode Window.setBuffersDataspace}. */
  setBuffersDataspace(dataspace: number): Status {
    return this.#set({ dataspace: dataspace | 0 }, isWord(dataspace)); // android_dataspace has a sign
  }

  /** See {@linkcode Window.setBuffersDimensions}. */
  setBuffersDimensions(width: number, height: number): Status {
    return this.#set({ width, height }, isCount(width) && isCount(height) && (width === 0) === (height === 0));
  }

  /** See {@linkcode Window.setBuffersTransform}; INVERSE_DISPLAY is 8. */
  setBuffersTransform(transform: number): Status {
    return this.#set({ transform }, isCount(transform) && (transform & ~TRANSFORM_BITS) === 0);
  }

  /** See {@linkcode Window.setScalingMode}. */
  setScalingMode(scalingMode: number): Status {
    return this.#set({ scalingMode }, isCount(scalingMode) && scalingMode <= SCALING_MODE.NO_SCALE_CROP);
  }

  /** native_window_set_crop: sets the part of the buffers that is shown; `undefined` for the whole buffer. */
  setCrop(crop: Rect | undefined): Status {
    return this.#set({ crop }, crop === undefined || isRect(crop));
  }

  /** See {@linkcode Window.setUsage}. */
  setUsage(usage: bigint): Status {
    return this.#set({ usage }, typeof usage === "bigint" && BigInt.asUintN(64, usage) === usage);
  }

  #set(change: Partial<Requests>, isValid: boolean): Status {
    if (!isValid) return STATUS.BAD_VALUE;
    Object.assign(this.#requests, change);
    return STATUS.OK;
  }

  /** See {@linkcode Window.setBufferCount}; 0 restores the minimum. */
  setBufferCount(count: number): Status {
    if (!isCount(count)) return STATUS.BAD_VALUE;
    const { producer } = this.#queue, left = producer.query("MIN_UNDEQUEUED_BUFFERS");
    if (left < 0) return left;
    return producer.setMaxDequeuedBufferCount(count === 0 ? 1 : count - left);
  }

  /** See {@linkcode Window.setBuffersTimestamp}. The timestamp stays until it is set again. */
  setBuffersTimestamp(timestamp: bigint): Status {
    if (typeof timestamp !== "bigint" || BigInt.asIntN(64, timestamp) !== timestamp) return STATUS.BAD_VALUE;
    this.#timestamp = timestamp;
    return STATUS.OK;
  }

  /** See {@linkcode Window.setSurfaceDamage}; OpenGL's rectangles are flipped, see {@linkcode bufferDamage}. */
  setSurfaceDamage(rects: readonly Rect[]): Status {
    const given = Array.isArray(rects) ? [...rects as readonly Rect[]] : undefined;
    if (!given?.every(isRect)) return STATUS.BAD_VALUE;
    this.#damage = given;
    return STATUS.OK;
  }

  /** See {@linkcode Window.setBuffersSmpte2086}. Returns BAD_VALUE for a member that is not finite. */
  setBuffersSmpte2086(metadata: Smpte2086 | undefined): Status {
    if (!areFinite(metadata)) return STATUS.BAD_VALUE;
    this.#smpte2086 = metadata;
    return STATUS.OK;
  }

  /** See {@linkcode Window.setBuffersCta8613}. Returns BAD_VALUE for a member that is not finite. */
  setBuffersCta8613(metadata: Cta8613 | undefined): Status {
    if (!areFinite(metadata)) return STATUS.BAD_VALUE;
    this.#cta8613 = metadata;
    return STATUS.OK;
  }

  /** See {@linkcode Window.refreshCycleDuration}. */
  refreshCycleDuration(): bigint {
    return this.#queue.isAbandoned ? BigInt(STATUS.NO_INIT) : this.#refreshCycle;
  }

  /** See {@linkcode Window.enableFrameTimestamps}. */
  enableFrameTimestamps(on: boolean): Status {
    if (this.#queue.isAbandoned) return STATUS.NO_INIT;
    this.#queue.history.enable(on);
    return STATUS.OK;
  }

  /** See {@linkcode Window.nextFrameId}. */
  nextFrameId(): bigint {
    return this.#queue.producer.output(false).nextFrameNumber;
  }

  /** See {@linkcode Window.frameTimestamps}. */
  frameTimestamps(frame: bigint): FrameTimestamps | Status {
    const { history } = this.#queue;
    return history.enabled ? history.of(frame) ?? STATUS.BAD_VALUE : STATUS.INVALID_OPERATION;
  }

  /**
   * See {@linkcode Window.dequeueBuffer}. Returns TIMED_OUT if the consumer has all buffers, INVALID_OPERATION if the
   * producer has them.
   */
  dequeueBuffer(): DequeuedBuffer | Status {
    const { producer } = this.#queue, { width, height, format, usage } = this.#requests;
    const kept = this.#sharedBuffer;
    if (kept && this.#shared && this.#autoRefresh && !this.#queue.isAbandoned) {
      return { buffer: kept.buffer, fence: NativeFence.signaled() };
    }
    const dequeued = producer.dequeueBuffer({ width, height, format, usage });
    if (typeof dequeued === "number") return dequeued;
    const { slot, fence, needsRequest } = dequeued, buffer = producer.requestBuffer(slot);
    if (typeof buffer === "number") {
      producer.cancelBuffer(slot, fence);
      return buffer;
    }
    if (needsRequest) this.onBuffer("new", buffer);
    if (this.#shared && this.#autoRefresh) this.#sharedBuffer = { buffer, slot, wasQueued: false };
    else if (kept?.slot === slot) this.#sharedBuffer = undefined;
    return { buffer, fence };
  }

  /** See {@linkcode Window.queueBuffer}. */
  queueBuffer(buffer: GraphicBuffer, fence: NativeFence): Status {
    checkFence("queueBuffer", fence);
    const { producer } = this.#queue, slot = producer.slotOf(buffer), shared = this.#sharedBuffer;
    if (slot < 0) return refused(fence, this.#queue);
    if (shared?.slot === slot && shared.wasQueued) {
      fence.close(); // the consumer has the buffer already
      return STATUS.OK;
    }
    if (shared?.slot === slot) shared.wasQueued = true;
    const output = producer.queueBuffer(slot, this.#input(buffer, fence));
    if (typeof output === "number") return output;
    this.#damage = [];
    this.onRefreshChange();
    return STATUS.OK;
  }

  #input(buffer: GraphicBuffer, fence: NativeFence): QueueInput {
    const { dataspace, scalingMode, transform, crop } = this.#requests;
    return {
      fence,
      timestamp: this.#timestamp === TIMESTAMP_AUTO ? undefined : this.#timestamp,
      dataspace,
      scalingMode,
      transform,
      crop: crop && inBuffer(crop, buffer),
      damage: bufferDamage(this.#damage, buffer, transform),
      smpte2086: this.#smpte2086,
      cta8613: this.#cta8613,
    };
  }

  /** See {@linkcode Window.cancelBuffer}. */
  cancelBuffer(buffer: GraphicBuffer, fence: NativeFence): Status {
    checkFence("cancelBuffer", fence);
    const { producer } = this.#queue, slot = producer.slotOf(buffer);
    if (slot < 0) return refused(fence, this.#queue);
    const status = producer.cancelBuffer(slot, fence);
    if (status === STATUS.OK) this.onBuffer("cancelled", buffer);
    return status;
  }
}

function noRequests(): Requests {
  return {
    width: 0,
    height: 0,
    format: 0,
    usage: 0n,
    dataspace: DATASPACE.UNKNOWN,
    scalingMode: SCALING_MODE.FREEZE,
    transform: TRANSFORM.NONE,
    crop: undefined,
  };
}

/** Whether a number fits into 32 bits, with or without a sign. */
function isWord(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 32;
}

function isCount(value: number): boolean {
  return isWord(value) && value >= 0;
}

/** Whether all numbers of HDR metadata are finite; `undefined` has none. */
function areFinite(metadata: Smpte2086 | Cta8613 | undefined): boolean {
  const members: unknown[] = Object.values(metadata ?? {});
  return members.flatMap((one) => typeof one === "object" ? Object.values(one ?? { x: NaN }) : [one])
    .every(Number.isFinite);
}

/** Whether all edges are integers. The order of the edges is checked where the edges are used. */
function isRect(rect: Rect | undefined): rect is Rect {
  return rect !== undefined && rect !== null && [rect.left, rect.top, rect.right, rect.bottom].every(isWord);
}

/** Throws a `TypeError` for a value that is no fence: the buffer stays with the caller. */
function checkFence(method: string, fence: NativeFence): void {
  if (typeof (fence as Partial<NativeFence> | null)?.dup === "function") return;
  throw new TypeError(
    `${method}() fence: expected a NativeFence, found ${
      fence === null ? "null" : typeof fence
    }; give NativeFence.signaled()`,
  );
}

/** The status for a buffer that does not belong to the queue, or does not any more. */
function refused(fence: NativeFence, { isAbandoned }: BufferQueue): Status {
  fence.close();
  return isAbandoned ? STATUS.NO_INIT : STATUS.BAD_VALUE;
}
