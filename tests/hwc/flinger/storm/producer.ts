import { assert, assertEquals } from "@std/assert";
import type { SurfaceFlinger } from "../../../../hwc/flinger/surface_flinger.ts";
import type { SurfaceLayer } from "../../../../hwc/flinger/layers/surface_layer.ts";
import type { DequeuedBuffer } from "../../../../wsi/contract/window.ts";
import { NativeFence } from "../../../../wsi/fence/native_fence.ts";
import type { NativeWindow } from "../../../../wsi/window/native_window.ts";
import { fill } from "../stage.ts";
import type { Random } from "./random.ts";

/** Vsyncs after which a buffer that was given back must be free to be written. */
const MOST_WAIT = 30;
const SIZES = [[8, 6], [4, 4], [12, 3], [16, 12]] as const;
const API_CPU = 2;

/** A frame that was queued before it is drawn. */
interface Undrawn {
  readonly signal: () => void;
  readonly at: number;
}

/** An app that draws into the window of a layer, as well as it can, and dies. */
export class Producer {
  readonly layer: SurfaceLayer;
  readonly window: NativeWindow;
  readonly isMailbox: boolean;
  readonly #random: Random;
  #taken: DequeuedBuffer | undefined;
  #since = 0;
  #undrawn: Undrawn[] = [];
  #seen = 0n;
  #color = 0;
  #isDead = false;
  /** Frames that waited when the window ended. */
  #left = 0;

  constructor(flinger: SurfaceFlinger, random: Random, name: string) {
    const [width, height] = random.of(SIZES)!, z = random.below(4);
    const position = { x: random.below(6) - 2, y: random.below(5) - 2 }, alpha = random.happens(0.2) ? 0.5 : 1;
    const layerStack = random.happens(0.15) ? 1 : 0, isCursor = random.happens(0.05);
    const window = { width, height, maxBufferCount: 5 };
    this.layer = flinger.createLayer({ name, window, z, position, alpha, layerStack, isCursor });
    this.window = this.layer.window!;
    this.isMailbox = random.happens(0.4);
    this.#random = random;
    this.connect();
  }

  /** Begins to draw; again, after it has died. */
  connect(): void {
    this.#isDead = false;
    if (this.window.apiConnect(API_CPU) !== 0) return;
    this.window.setDequeueTimeout(0n);
    this.window.setBufferCount(3 + this.#random.below(2));
    this.window.setSwapInterval(this.isMailbox ? 0 : 1);
  }

  /** Ends what it draws with its last step, as the kernel signals the fences of who is killed. */
  kill(): void {
    this.#isDead = true;
    for (const { signal } of this.#undrawn.splice(0)) signal();
    // The buffer that it has taken goes back with the connection; only the fence is its own.
    this.#taken?.fence.close();
    this.#taken = undefined;
    this.window.apiDisconnect(API_CPU);
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Goes on with its work at a vsync. */
  step(now: number): void {
    this.#finish(now);
    this.#follow();
    if (this.#isDead || this.#random.happens(0.15)) return;
    this.#take(now);
    const taken = this.#taken;
    if (!taken) return;
    if (!taken.fence.poll()) {
      assert(now - this.#since < MOST_WAIT, `"${this.layer.name}": a release fence does not signal: ${taken.fence}`);
      return;
    }
    this.#taken = undefined;
    taken.fence.close();
    if (this.#random.happens(0.03)) this.window.cancelBuffer(taken.buffer, NativeFence.signaled());
    else this.#queue(taken, now);
  }

  #take(now: number): void {
    if (this.#taken) return;
    const taken = this.window.dequeueBuffer();
    if (typeof taken === "number") return;
    this.#taken = taken;
    this.#since = now;
  }

  #queue({ buffer }: DequeuedBuffer, now: number): void {
    if (buffer.isClosed) return; // with its window
    this.#color = this.#color + 1 & 0xff;
    fill(buffer, [this.#color, 255 - this.#color, buffer.width, 255]);
    const isLate = this.#random.happens(0.2), made = isLate ? NativeFence.create() : undefined;
    const fence = made?.fence ?? NativeFence.signaled();
    if (this.window.queueBuffer(buffer, fence) !== 0) return fence.close();
    if (made) this.#undrawn.push({ signal: made.signal, at: now + this.#random.below(8) });
  }

  #finish(now: number): void {
    this.#undrawn = this.#undrawn.filter(({ signal, at }) => at > now || void signal());
  }

  /** Frames come in their order. */
  #follow(): void {
    const { frameNumber = this.#seen } = this.layer;
    assert(frameNumber >= this.#seen, `"${this.layer.name}" shows frame ${frameNumber} after ${this.#seen}`);
    this.#seen = frameNumber;
  }

  /** Ends the window under the producer and its layer. */
  dispose(): void {
    this.#left += this.window.frames.pending;
    this.window.close();
  }

  /** Ends the layer, and counts: every frame was taken, replaced, or the last to wait. */
  close(): { queued: number; taken: number; replaced: number; left: number } {
    if (!this.#isDead) this.kill();
    const left = this.#left + this.window.frames.pending;
    this.layer.close();
    const { queued, acquired, released, dropped } = this.window.statistics;
    assertEquals({ queued, released }, { queued: acquired + dropped + left, released: acquired }, this.layer.name);
    assert(this.isMailbox || dropped === 0, `"${this.layer.name}" lost ${dropped} frames of a FIFO`);
    return { queued, taken: acquired, replaced: dropped, left };
  }
}
