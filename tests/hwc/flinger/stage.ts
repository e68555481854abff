import { assertEquals } from "@std/assert";
import { createReferenceBackend } from "../../../hwc/backends/create.ts";
import type { ComposeLayer } from "../../../hwc/backends/compose_layer.ts";
import { SurfaceFlinger } from "../../../hwc/flinger/surface_flinger.ts";
import type { SurfaceFlingerOptions } from "../../../hwc/flinger/options.ts";
import type { SurfaceLayer } from "../../../hwc/flinger/layers/surface_layer.ts";
import { ManualClock } from "../../../hwc/core/time/clock.ts";
import type { ReferenceComposerOptions } from "../../../hwc/core/options.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import type { ReferenceComposer } from "../../../hwc/core/controls.ts";
import { BLEND, COMPOSITION, FORMAT } from "../../../hwc/types.ts";
import { allocateBuffer, openBuffers } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import type { Window } from "../../../wsi/contract/window.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { leavesNothing } from "../../wsi/leaves_nothing.ts";
import { VSYNC_PERIOD } from "../core/frame.ts";

export const WIDTH = 32, HEIGHT = 24;
export const RED = [255, 0, 0, 255], GREEN = [0, 255, 0, 255], BLUE = [0, 0, 255, 255], CLEAR = [0, 0, 0, 0];

export type StageOptions = ReferenceComposerOptions & Partial<SurfaceFlingerOptions> & {
  /** The composer that the flinger calls instead. */
  readonly between?: (composer: ReferenceComposer) => SurfaceFlingerOptions["composer"];
};

/** A flinger on a simulated panel, on a clock to be moved. */
export class Stage implements Disposable {
  readonly clock = new ManualClock();
  readonly composer: ReferenceComposer;
  readonly flinger: SurfaceFlinger;
  readonly said: string[] = [];

  constructor({ between, renderer, release, ...options }: StageOptions = {}) {
    const panels = [{ modes: [{ width: WIDTH, height: HEIGHT, refreshRate: 60 }] }];
    this.composer = createReferenceComposer({ panels, flattenAfter: 0, ...options, clock: this.clock });
    const given = { ...(renderer && { renderer }), ...(release && { release }) };
    const composer = between?.(this.composer) ?? this.composer;
    this.flinger = new SurfaceFlinger({ composer, log: (message) => this.said.push(message), ...given });
  }

  /** The handle of a display. */
  handle(display = 0): bigint {
    return this.flinger.displays.find((each) => each.display === display)!.handle!;
  }

  /** A layer with a window of a size and a first frame of one colour in it. */
  layer(name: string, [width, height]: readonly [number, number], color: readonly number[], more = {}): SurfaceLayer {
    const layer = this.flinger.createLayer({ name, window: { width, height }, ...more });
    layer.window!.apiConnect(2);
    draw(layer.window!, color);
    return layer;
  }

  vsyncs(count = 1): void {
    this.clock.advance(VSYNC_PERIOD * BigInt(count));
  }

  /** The pixels on the panel, words of RGBA. */
  screen(display = 0, [width, height]: readonly [number, number] = [WIDTH, HEIGHT]): number[] {
    using into = blank(width, height);
    this.composer.capture(this.handle(display), into);
    return words(into);
  }

  /** One pixel of it, red, green and blue. */
  pixel(x: number, y: number, display = 0): number[] {
    const word = this.screen(display)[y * WIDTH + x];
    return [word & 255, word >> 8 & 255, word >> 16 & 255];
  }

  [Symbol.dispose](): void {
    this.flinger.close();
    this.composer.close();
  }
}

/** Fills the next buffer of a window and queues it; whether there was one. */
export function draw(window: Window, color: readonly number[], fence?: NativeFence): boolean {
  const taken = window.dequeueBuffer();
  if (typeof taken === "number") return false;
  taken.fence.close();
  fill(taken.buffer, color);
  assertEquals(window.queueBuffer(taken.buffer, fence ?? NativeFence.signaled()), 0);
  return true;
}

/** One colour everywhere, whatever the buffer says of who may write it. */
export function fill(buffer: GraphicBuffer, [r, g, b, a]: readonly number[]): void {
  const { address, size } = buffer.memory,
    bytes = Deno.UnsafePointerView.getArrayBuffer(
      Deno.UnsafePointer.create(address)!,
      size,
    );
  new Uint32Array(bytes).fill((r | g << 8 | b << 16 | a << 24) >>> 0);
}

/** A buffer for pictures. */
export function blank(width = WIDTH, height = HEIGHT): GraphicBuffer {
  const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
  return allocateBuffer({ width, height, format: FORMAT.RGBA_8888, usage });
}

/** The pixels of a buffer, whatever the buffer says of who may read it. */
export function words(buffer: GraphicBuffer): number[] {
  const { width, height, rowPitch, memory: { address, size } } = buffer;
  const view = new DataView(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, size));
  return Array.from({ length: width * height }, (_, n) => {
    return view.getUint32(Math.floor(n / width) * rowPitch + 4 * (n % width), true);
  });
}

/** The picture that the reference backend makes of layers, opaque black below them. */
export function reference(layers: readonly ComposeLayer[]): number[] {
  using backend = createReferenceBackend(), target = blank();
  backend.compose(target, layers, { background: { r: 0, g: 0, b: 0, a: 1 } });
  return words(target);
}

/** A layer for {@linkcode reference}: a buffer of one colour. */
export function flat(
  buffer: GraphicBuffer,
  color: readonly number[],
  z: number,
  more: Partial<ComposeLayer> = {},
): ComposeLayer {
  fill(buffer, color);
  const whole = { left: 0, top: 0, right: buffer.width, bottom: buffer.height };
  const place = { sourceCrop: whole, displayFrame: whole, transform: 0, dataspace: 0, z };
  return { buffer, composition: COMPOSITION.DEVICE, blend: BLEND.PREMULTIPLIED, planeAlpha: 1, ...place, ...more };
}

/** A test on a stage: afterwards no file, no buffer and no mapping is left. */
export function onStage(run: (stage: Stage) => void, options?: StageOptions): () => void {
  return () => {
    const buffers = openBuffers();
    leavesNothing(() => {
      using stage = new Stage(options);
      run(stage);
    });
    assertEquals(openBuffers(), buffers);
  };
}
