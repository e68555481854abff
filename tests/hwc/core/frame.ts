import type { Composer } from "../../../hwc/composer.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import type { ReferenceComposer } from "../../../hwc/core/controls.ts";
import { ManualClock } from "../../../hwc/core/time/clock.ts";
import type { ReferenceComposerOptions } from "../../../hwc/core/options.ts";
import { BLEND, COMPOSITION, FORMAT, type Rect } from "../../../hwc/types.ts";
import { POWER_MODE } from "../../../hwc/device_types.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";

/** Nanoseconds from vsync to vsync at 60 Hz, rounded up. */
export const VSYNC_PERIOD = 16_666_667n;

/** The place of a layer. */
export interface LayerPlace {
  readonly frame?: Rect;
  readonly z?: number;
  readonly fence?: NativeFence | null;
}

/** An opaque layer that shows all of a buffer, by default at the origin, below everything, with nothing to wait for. */
export function opaqueLayer(
  composer: Composer,
  display: bigint,
  buffer: GraphicBuffer,
  place: LayerPlace = {},
): bigint {
  const layer = composer.createLayer(display), all = { left: 0, top: 0, right: buffer.width, bottom: buffer.height };
  const { frame = all, z = 0, fence = null } = place;
  composer.setLayerBuffer(display, layer, buffer, fence);
  composer.setLayerSourceCrop(display, layer, all);
  composer.setLayerDisplayFrame(display, layer, frame);
  composer.setLayerBlendMode(display, layer, BLEND.NONE);
  composer.setLayerZOrder(display, layer, z);
  composer.setLayerCompositionType(display, layer, COMPOSITION.DEVICE);
  return layer;
}

/** An opaque layer of one colour, 0 to 255. */
export function colorLayer(
  composer: Composer,
  display: bigint,
  color: { readonly r: number; readonly g: number; readonly b: number; readonly a: number },
  frame: Rect,
  z: number,
): bigint {
  const layer = composer.createLayer(display);
  composer.setLayerCompositionType(display, layer, COMPOSITION.SOLID_COLOR);
  composer.setLayerColor(display, layer, color);
  composer.setLayerDisplayFrame(display, layer, frame);
  composer.setLayerBlendMode(display, layer, BLEND.NONE);
  composer.setLayerZOrder(display, layer, z);
  return layer;
}

/** A composer of one small panel, on a clock to be moved, with its display turned on. */
export class Bench implements Disposable {
  readonly clock = new ManualClock();
  readonly composer: ReferenceComposer;
  readonly display: bigint;
  readonly #buffers: GraphicBuffer[] = [];

  constructor(options: ReferenceComposerOptions = {}, size: readonly [number, number] = [32, 24]) {
    const [width, height] = size, panels = [{ modes: [{ width, height, refreshRate: 60 }] }];
    this.composer = createReferenceComposer({ panels, flattenAfter: 0, ...options, clock: this.clock });
    let first = 0n;
    this.composer.registerCallback(1, (display) => first ||= display);
    this.display = first;
    this.composer.setPowerMode(first, POWER_MODE.ON);
  }

  /** A buffer, all of one colour, that is given back at the end. */
  buffer(
    [r, g, b, a]: readonly number[] = [0, 0, 0, 255],
    size: readonly [number, number] = [32, 24],
    format: number = FORMAT.RGBA_8888,
  ) {
    const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
    const buffer = allocateBuffer({ width: size[0], height: size[1], format, usage });
    this.#buffers.push(buffer);
    if (buffer.pixelFormat.bytesPerPixel === 4) {
      new Uint32Array(buffer.lock().buffer).fill((r | g << 8 | b << 16 | a << 24) >>> 0);
      buffer.unlock();
    }
    return buffer;
  }

  /** A layer over a frame, opaque, with a buffer of that size. */
  layer(buffer = this.buffer(), frame?: Rect, z = 0, fence: NativeFence | null = null): bigint {
    return opaqueLayer(this.composer, this.display, buffer, { frame, z, fence });
  }

  /** Validates, accepts and presents. */
  present(display = this.display): NativeFence {
    if (this.composer.validateDisplay(display).numTypes > 0) this.composer.acceptDisplayChanges(display);
    return this.composer.presentDisplay(display);
  }

  /** Lets vsyncs go by. */
  vsyncs(count = 1): void {
    this.clock.advance(VSYNC_PERIOD * BigInt(count));
  }

  /** The colour of a pixel on the panel. */
  pixel(x: number, y: number, size: readonly [number, number] = [32, 24]): number[] {
    const into = this.buffer([1, 2, 3, 4], size);
    this.composer.capture(this.display, into);
    const bytes = into.lock(), at = y * into.rowPitch + 4 * x, found = [...bytes.subarray(at, at + 3)];
    into.unlock();
    return found;
  }

  [Symbol.dispose](): void {
    this.composer.close();
    for (const buffer of this.#buffers) buffer.close();
  }
}
