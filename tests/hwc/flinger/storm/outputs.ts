import { assertEquals } from "@std/assert";
import type { SurfaceFlinger } from "../../../../hwc/flinger/surface_flinger.ts";
import { FORMAT } from "../../../../hwc/types.ts";
import type { Frame, FrameSource } from "../../../../wsi/contract/frame_consumer.ts";
import { NativeWindow } from "../../../../wsi/window/native_window.ts";
import { words } from "../stage.ts";
import type { Random } from "./random.ts";

/** A virtual display whose reader keeps frames for a while, and goes away. */
export class Output {
  /** The flinger's number. */
  readonly display: number;
  readonly #flinger: SurfaceFlinger;
  readonly #window: NativeWindow;
  readonly #random: Random;
  #source: FrameSource | undefined;
  #held: Frame[] = [];

  constructor(flinger: SurfaceFlinger, random: Random) {
    const format = random.happens(0.5) ? FORMAT.RGBA_8888 : FORMAT.RGBX_8888;
    this.#flinger = flinger;
    this.#random = random;
    const consumer = { maxAcquired: 2, attach: (source: FrameSource) => void (this.#source = source), onFrame() {} };
    this.#window = new NativeWindow({ width: 8, height: 6, defaultFormat: format, consumer });
    const usesComposer = random.happens(0.8), copiesByHwc = random.happens(0.2), layerStack = random.below(2);
    this.display = flinger.createVirtualDisplay({ window: this.#window, usesComposer, copiesByHwc, layerStack });
  }

  /** Reads on. */
  step(): void {
    if (this.#held.length > 1 && this.#random.happens(0.5)) this.#held.shift()!.release();
    const frame = this.#source!.acquire({ onlyDrawn: true });
    if (frame) this.#held.push(frame);
  }

  /** Reads on as fast as it can, until nothing is left. */
  readAll(): void {
    while (this.#source!.pending > 0) {
      if (this.#held.length > 1) this.#held.shift()!.release();
      const frame = this.#source!.acquire();
      if (!frame) return;
      this.#held.push(frame);
    }
  }

  /** The newest frame that it has read; `undefined` before the first. */
  get shown(): number[] | undefined {
    const frame = this.#held.at(-1);
    return frame && words(frame.buffer);
  }

  /** The reader dies, perhaps before the display does. */
  close(inOrder: boolean): void {
    for (const frame of this.#held.splice(0)) frame.release();
    const end = [() => this.#flinger.destroyVirtualDisplay(this.display), () => this.#window.close()];
    for (const step of inOrder ? end : end.reverse()) step();
    const { acquired, released } = this.#window.statistics;
    assertEquals(released, acquired, "frames of a virtual display");
  }
}
