import type { ComposeLayer } from "../../hwc/backends/compose_layer.ts";
import { BLEND, COMPOSITION, DATASPACE, FORMAT, type Rect, TRANSFORM } from "../../hwc/types.ts";
import { allocateBuffer } from "../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";

/** Layers with their buffers, and what they are drawn into. */
export interface BenchScene extends Disposable {
  readonly target: GraphicBuffer;
  readonly layers: ComposeLayer[];
}

const CPU = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;

/** Allocates buffers, and gives them all back together. */
class Buffers {
  readonly #owned = new DisposableStack();
  #seed = 1;

  of(format: number, width: number, height: number): GraphicBuffer {
    const buffer = this.#owned.use(allocateBuffer({ width, height, format, usage: CPU }));
    const { address, size } = buffer.memory, pointer = Deno.UnsafePointer.create(address)!;
    const words = new Uint32Array(Deno.UnsafePointerView.getArrayBuffer(pointer, size), 0, size >> 2);
    const fill = format === FORMAT.RGBA_8888 ? veil : noise;
    for (let n = 0; n < words.length; n++) words[n] = fill(Math.imul(n + this.#seed, 2654435761));
    this.#seed += 77;
    return buffer;
  }

  scene(target: GraphicBuffer, layers: ComposeLayer[]): BenchScene {
    return { target, layers, [Symbol.dispose]: () => this.#owned.dispose() };
  }
}

function noise(random: number): number {
  return random >>> 0;
}

/** A premultiplied pixel that is neither clear nor opaque. */
function veil(random: number): number {
  return (0xa0000000 | random >>> 1 & 0x7f7f7f) >>> 0;
}

function layer(z: number, buffer: GraphicBuffer, displayFrame: Rect, more: Partial<ComposeLayer> = {}): ComposeLayer {
  const sourceCrop = { left: 0, top: 0, right: buffer.width, bottom: buffer.height };
  const usual = { composition: COMPOSITION.DEVICE, blend: BLEND.NONE, planeAlpha: 1, transform: 0, dataspace: 0 };
  return { ...usual, buffer, displayFrame, sourceCrop, z, ...more };
}

function rect(left: number, top: number, width: number, height: number): Rect {
  return { left, top, right: left + width, bottom: top + height };
}

/**
 * A home screen with a video: wallpaper (larger than the screen), app, status
 * bar, navigation bar with plane alpha, rotated NV12. `scale` 1 is 1920×1080.
 */
export function homeScene(scale: number): BenchScene {
  const buffers = new Buffers(), s = (n: number) => n * scale;
  const target = buffers.of(FORMAT.RGBA_8888, s(1920), s(1080));
  const wallpaper = layer(0, buffers.of(FORMAT.RGBX_8888, s(2560), s(1440)), rect(0, 0, s(1920), s(1080)), {
    sourceCrop: rect(s(80), s(45), s(2400), s(1350)),
    name: "wallpaper",
  });
  const bar = { blend: BLEND.PREMULTIPLIED };
  return buffers.scene(target, [
    wallpaper,
    layer(1, buffers.of(FORMAT.RGBX_8888, s(1920), s(1080)), rect(0, 0, s(1920), s(1080)), { name: "app" }),
    layer(2, buffers.of(FORMAT.RGBA_8888, s(1920), s(64)), rect(0, 0, s(1920), s(64)), { ...bar, name: "status" }),
    layer(3, buffers.of(FORMAT.RGBA_8888, s(1920), s(96)), rect(0, s(984), s(1920), s(96)), {
      ...bar,
      planeAlpha: 0.8,
      name: "navigation",
    }),
    layer(4, buffers.of(FORMAT.YCBCR_420_888, 1280, 720), rect(s(690), s(70), s(540), s(900)), {
      transform: TRANSFORM.ROT_90,
      dataspace: DATASPACE.V0_BT709,
      name: "video",
    }),
  ]);
}

/** The home scene with the app see-through, so that the wallpaper has to be drawn. */
export function uncoveredHomeScene(scale: number): BenchScene {
  const { target, layers, ...rest } = homeScene(scale), app = layers[1];
  const seen = { ...app, blend: BLEND.PREMULTIPLIED, planeAlpha: 254 / 255 };
  return { target, layers: [layers[0], seen, ...layers.slice(2)], [Symbol.dispose]: rest[Symbol.dispose] };
}

/** As many layers as wanted, of which eight differ: a desktop with windows, a video, bars and a cursor. */
export function manyLayers(width: number, height: number, count: number): BenchScene {
  const buffers = new Buffers(), over = { blend: BLEND.PREMULTIPLIED };
  const part = (x: number, y: number, w: number, h: number) =>
    rect(Math.round(x * width), Math.round(y * height), Math.round(w * width), Math.round(h * height));
  const own = (frame: Rect, format: number = FORMAT.RGBA_8888) =>
    buffers.of(format, frame.right - frame.left, frame.bottom - frame.top);
  const plans: ((z: number) => ComposeLayer)[] = [
    (z) =>
      layer(z, buffers.of(FORMAT.RGBX_8888, Math.round(width * 1.25), Math.round(height * 1.25)), part(0, 0, 1, 1), {
        name: "wallpaper",
      }),
    (z) => window(z, part(0.05, 0.1, 0.6, 0.8), "window"),
    (z) => window(z, part(0.4, 0.2, 0.55, 0.6), "another window", { planeAlpha: 0.9 }),
    (z) =>
      layer(z, buffers.of(FORMAT.YCBCR_420_888, 1280, 720), part(0.5, 0.3, 0.4, 0.4), {
        dataspace: DATASPACE.V0_BT709,
        name: "video",
      }),
    (z) => window(z, part(0.5, 0.62, 0.4, 0.06), "captions"),
    (z) => window(z, part(0, 0, 1, 0.05), "status"),
    (z) => window(z, part(0, 0.95, 1, 0.05), "navigation", { planeAlpha: 0.8 }),
    (z) => window(z, part(0.7, 0.5, 64 / width, 64 / height), "cursor", { isCursor: true }),
  ];
  function window(z: number, frame: Rect, name: string, more: Partial<ComposeLayer> = {}): ComposeLayer {
    return layer(z, own(frame), frame, { ...over, name, ...more });
  }
  const target = buffers.of(FORMAT.RGBX_8888, width, height);
  return buffers.scene(target, Array.from({ length: count }, (_, z) => plans[z < 8 ? z : 1 + z % 7](z)));
}

/** Layers that all cover the screen and let all others through: the most that can be asked for. */
export function fullLayers(width: number, height: number, count: number): BenchScene {
  const buffers = new Buffers(), target = buffers.of(FORMAT.RGBX_8888, width, height);
  const one = (z: number) =>
    layer(z, buffers.of(FORMAT.RGBA_8888, width, height), rect(0, 0, width, height), { blend: BLEND.PREMULTIPLIED });
  return buffers.scene(target, Array.from({ length: count }, (_, z) => one(z)));
}

const NOTHING: Rect = rect(0, 0, 0, 0);

/** The same, with all buffers reported as unchanged except those of some layers. */
export function steady(layers: readonly ComposeLayer[], changing: readonly string[]): ComposeLayer[] {
  return layers.map((each) => changing.includes(each.name ?? "") ? each : { ...each, damage: [NOTHING] });
}
