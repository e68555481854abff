import fc from "fast-check";
import type { ComposeLayer } from "../../../hwc/backends/compose_layer.ts";
import { BLEND, COMPOSITION, FORMAT, type Rect } from "../../../hwc/types.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { count } from "../../support/counts.ts";

/** The usage of a buffer that the CPU reads and writes. */
export const CPU: bigint = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;

/** A scene as numbers: buffers are made of it when it is run. */
export interface ScenePlan {
  readonly width: number;
  readonly height: number;
  readonly targetFormat: number;
  readonly layers: readonly LayerPlan[];
}

/** One layer of a plan. */
export interface LayerPlan {
  readonly format: number;
  readonly width: number;
  readonly height: number;
  readonly crop: readonly [number, number, number, number];
  readonly frame: readonly [number, number, number, number];
  readonly transform: number;
  readonly blend: number;
  readonly alpha: number;
  readonly isExactSize: boolean;
  readonly isSolid: boolean;
  readonly dataspace: number;
  readonly seed: number;
}

/** A buffer full of noise whose colours are not above alpha. */
export function noiseBuffer(format: number, width: number, height: number, seed: number): GraphicBuffer {
  const buffer = allocateBuffer({ width, height, format, usage: CPU });
  const view = new DataView(
    Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(buffer.memory.address)!, buffer.memory.size),
  );
  let state = seed * 2654435761 >>> 0 || 1;
  const next = () => (state ^= state << 13, state ^= state >>> 17, state ^= state << 5, state >>> 0);
  for (let offset = 0; offset + 4 <= view.byteLength; offset += 4) {
    view.setUint32(offset, pixel(format, next(), next()), true);
  }
  return buffer;
}

/** Half of the pixels are opaque, clear or of one colour, as in pictures. */
function pixel(format: number, random: number, more: number): number {
  if (format === FORMAT.RGBA_FP16) return (random & 0x3bff) << 16 | more & 0x3bff;
  if (format !== FORMAT.RGBA_8888 && format !== FORMAT.BGRA_8888) return random;
  const alpha = [0, 255, more & 255, more >>> 8 & 255][more >>> 30];
  const byte = (shift: number) => Math.floor((random >>> shift & 255) * alpha / 255);
  return (alpha << 24 | byte(16) << 16 | byte(8) << 8 | byte(0)) >>> 0;
}

/** Makes the buffers of a plan, runs `use`, and gives them back. */
export function withScene<T>(plan: ScenePlan, use: (layers: ComposeLayer[]) => T): T {
  const buffers: GraphicBuffer[] = [];
  try {
    return use(plan.layers.map((layer, z) => toLayer(layer, z, buffers)));
  } finally {
    buffers.forEach((buffer) => buffer.close());
  }
}

function toLayer(plan: LayerPlan, z: number, buffers: GraphicBuffer[]): ComposeLayer {
  const { blend, alpha: planeAlpha, transform, dataspace } = plan;
  const [left, top, width, height] = plan.frame,
    displayFrame = { left, top, right: left + width, bottom: top + height };
  const common = { blend, planeAlpha, transform, dataspace, displayFrame, z };
  if (plan.isSolid) {
    const a = (plan.seed & 3) / 3, color = { r: a * ((plan.seed >> 2 & 7) / 7), g: a * 0.5, b: a * 0.3, a };
    return { ...common, composition: COMPOSITION.SOLID_COLOR, color, sourceCrop: displayFrame };
  }
  const { width: w, height: h, crop: c } = plan, isTurned = (transform & 4) !== 0;
  const buffer = noiseBuffer(plan.format, w, h, plan.seed);
  buffers.push(buffer);
  const sourceCrop = { left: c[0] * w / 2, top: c[1] * h / 2, right: w - c[2] * w / 2.1, bottom: h - c[3] * h / 2.1 };
  const whole = { left: 0, top: 0, right: w, bottom: h };
  const size = isTurned ? [h, w] : [w, h], exact: Rect = { left, top, right: left + size[0], bottom: top + size[1] };
  return plan.isExactSize
    ? { ...common, buffer, composition: COMPOSITION.DEVICE, sourceCrop: whole, displayFrame: exact }
    : { ...common, buffer, composition: COMPOSITION.DEVICE, sourceCrop };
}

/** Random scenes with layers of these formats. */
export function scenes(
  formats: readonly number[],
  targets: readonly number[],
  dataspaces = [0],
): fc.Arbitrary<ScenePlan> {
  const fraction = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true }));
  const layer = fc.record<LayerPlan>({
    format: fc.constantFrom(...formats),
    width: fc.integer({ min: 1, max: 20 }).map((n) => 2 * n),
    height: fc.integer({ min: 1, max: 20 }).map((n) => 2 * n),
    crop: fc.tuple(fraction, fraction, fraction, fraction),
    frame: fc.tuple(
      fc.integer({ min: -20, max: 50 }),
      fc.integer({ min: -20, max: 40 }),
      fc.integer({ min: 1, max: 70 }),
      fc.integer({ min: 1, max: 60 }),
    ),
    transform: fc.integer({ min: 0, max: 7 }),
    blend: fc.constantFrom(BLEND.NONE, BLEND.PREMULTIPLIED, BLEND.PREMULTIPLIED, BLEND.COVERAGE),
    alpha: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
    isExactSize: fc.boolean(),
    isSolid: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
    dataspace: fc.constantFrom(...dataspaces),
    seed: fc.integer({ min: 1, max: 1 << 30 }),
  });
  return fc.record({
    width: fc.integer({ min: 1, max: 70 }),
    height: fc.integer({ min: 1, max: 50 }),
    targetFormat: fc.constantFrom(...targets),
    layers: fc.array(layer, { minLength: 1, maxLength: 5 }),
  });
}

/**
 * The number of random scenes: a quarter, unless PUMICE_SCENES has another. The full number found a driver that rounds
 * halves another way in OpenGL ES. Every run draws other scenes, so that runs of few add up.
 */
export function sceneCount(full: number): number {
  return Number(Deno.env.get("PUMICE_SCENES") ?? count(Math.ceil(full / 4), Math.ceil(full / 4), full));
}
