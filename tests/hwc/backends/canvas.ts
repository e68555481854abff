import { assertEquals } from "@std/assert";
import type { ComposeOptions, CompositionBackend } from "../../../hwc/backends/backend.ts";
import type { ComposeLayer } from "../../../hwc/backends/compose_layer.ts";
import { createPixmanBackend, createReferenceBackend, createTsBackend } from "../../../hwc/backends/create.ts";
import { createVulkanBackend } from "../../../hwc/backends/own_vulkan.ts";
import { BLEND, COMPOSITION, FORMAT } from "../../../hwc/types.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { lavapipePath, libyuvPath, pixmanPath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { CPU } from "./scene.ts";

/** A backend by name, how it is made, and whether its tests can run. */
export interface Candidate {
  readonly name: string;
  readonly ignore: boolean;
  create(): CompositionBackend;
}

/** The CPU's libraries. */
export const PIXMAN: Candidate = {
  name: "pixman",
  ...needs("pixman and libyuv", pixmanPath() && libyuvPath()),
  create: createPixmanBackend,
};

/** Mesa's driver, all layers at once. */
export const LAVAPIPE: Candidate = {
  name: "vulkan on lavapipe",
  ...needs("Mesa lavapipe", lavapipePath()),
  create: () => createVulkanBackend({ driver: lavapipePath()! }),
};

/** The other driver, one layer at a time: it takes its time to compile. */
export const SWIFTSHADER: Candidate = {
  name: "vulkan on SwiftShader",
  ...needs("SwiftShader and ANGLE", swiftshaderPath()),
  create: () => createVulkanBackend({ driver: swiftshaderPath()!, layersAtOnce: 1 }),
};

/** Every backend there is. */
export const CANDIDATES: readonly Candidate[] = [
  { name: "reference", ignore: false, create: createReferenceBackend },
  { name: "ts", ignore: false, create: createTsBackend },
  PIXMAN,
  { ...LAVAPIPE, create: () => createVulkanBackend({ driver: lavapipePath()!, layersAtOnce: 1 }) },
  SWIFTSHADER,
];

/** The bytes of a buffer as they lie in memory. Good until it is closed. */
export function memoryOf(buffer: GraphicBuffer): DataView {
  const { address, size } = buffer.memory;
  return new DataView(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, size));
}

/** A buffer with pixels of four bytes: words such as 0xAABBGGRR for RGBA. */
export function picture(width: number, words: readonly number[], format: number = FORMAT.RGBA_8888): GraphicBuffer {
  const buffer = allocateBuffer({ width, height: words.length / width, format, usage: CPU }), view = memoryOf(buffer);
  words.forEach((word, n) =>
    view.setUint32(Math.floor(n / width) * buffer.rowPitch + 4 * (n % width), word >>> 0, true)
  );
  return buffer;
}

/** The words of a buffer with pixels of four bytes, without what lies between rows. */
export function wordsOf(buffer: GraphicBuffer): number[] {
  const view = memoryOf(buffer), { width, height, rowPitch } = buffer;
  return Array.from({ length: width * height }, (_, n) => {
    return view.getUint32(Math.floor(n / width) * rowPitch + 4 * (n % width), true);
  });
}

/** A layer that shows all of a buffer where it is, unless told otherwise. */
export function layerOf(buffer: GraphicBuffer, more: Partial<ComposeLayer> = {}): ComposeLayer {
  const whole = { left: 0, top: 0, right: buffer.width, bottom: buffer.height };
  return {
    buffer,
    composition: COMPOSITION.DEVICE,
    blend: BLEND.NONE,
    planeAlpha: 1,
    transform: 0,
    sourceCrop: whole,
    displayFrame: whole,
    z: 0,
    dataspace: 0,
    ...more,
  };
}

/** A layer of one colour. */
export function colorLayer(
  color: readonly number[],
  frame: readonly number[],
  more: Partial<ComposeLayer> = {},
): ComposeLayer {
  const [r, g, b, a] = color, [left, top, right, bottom] = frame, displayFrame = { left, top, right, bottom };
  const common = {
    blend: BLEND.NONE,
    planeAlpha: 1,
    transform: 0,
    sourceCrop: displayFrame,
    displayFrame,
    z: 0,
    dataspace: 0,
  };
  return { ...common, composition: COMPOSITION.SOLID_COLOR, color: { r, g, b, a }, ...more };
}

/** Composes into a fresh RGBA target full of junk; its words. */
export function composed(
  backend: CompositionBackend,
  [width, height]: readonly [number, number],
  layers: readonly ComposeLayer[],
  options: ComposeOptions = {},
): number[] {
  using target = picture(width, Array(width * height).fill(0x12345678));
  backend.compose(target, layers, options);
  return wordsOf(target);
}

/** Fails unless two buffers show the same: colours in all of them, alpha where there is one. */
export function assertSamePixels(actual: GraphicBuffer, expected: GraphicBuffer, message: string): void {
  const mask = actual.format === FORMAT.RGBX_8888 ? 0xffffff : 0xffffffff;
  const [a, b] = [actual, expected].map((buffer) => wordsOf(buffer).map((word) => (word & mask) >>> 0));
  const wrong = a.findIndex((word, n) => word !== b[n]);
  if (wrong < 0) return;
  const at = `pixel ${wrong % actual.width}, ${Math.floor(wrong / actual.width)}`;
  assertEquals(a[wrong].toString(16), b[wrong].toString(16), `${message}: ${at}`);
}
