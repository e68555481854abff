import fc from "fast-check";
import { assertEquals } from "@std/assert";
import type { ComposeOptions, CompositionBackend } from "../../../hwc/backends/backend.ts";
import { BLEND, DATASPACE, FORMAT } from "../../../hwc/types.ts";
import { assertSamePixels, composed, layerOf, picture } from "./canvas.ts";
import { noiseBuffer, scenes, withScene } from "./scene.ts";

/** Formats of one colour a pixel. */
export const RGB = [FORMAT.RGBA_8888, FORMAT.RGBX_8888, FORMAT.BGRA_8888, FORMAT.RGB_888, FORMAT.RGB_565];
const DEEP = [FORMAT.RGBA_FP16, FORMAT.RGBA_1010102, FORMAT.R_8, FORMAT.Y8];
/** YUV of all kinds. */
export const YUV = [
  FORMAT.YCBCR_420_888,
  FORMAT.YCRCB_420_SP,
  FORMAT.YV12,
  FORMAT.YCBCR_422_SP,
  FORMAT.YCBCR_422_I,
  FORMAT.YCBCR_P010,
];
/** Every format that is read. */
export const ALL = [...RGB, ...DEEP, ...YUV];
/** The formats that every backend writes. */
export const TARGETS = [FORMAT.RGBA_8888, FORMAT.RGBX_8888, FORMAT.BGRA_8888];
const DATASPACES = [0, DATASPACE.V0_SRGB, DATASPACE.DISPLAY_P3, DATASPACE.V0_BT709];

/** Draws scenes with two backends over the same junk; layers that one cannot draw are left out. */
export function assertEqual(
  ours: CompositionBackend,
  theirs: CompositionBackend,
  formats: readonly number[],
  numRuns: number,
  targets: readonly number[] = TARGETS,
): void {
  fc.assert(
    fc.property(scenes(formats, targets, DATASPACES), (plan) =>
      withScene(plan, (scene) => {
        const [width, height] = [plan.width, plan.height],
          options = { dataspace: plan.width % 2 ? DATASPACE.DISPLAY_P3 : 0 };
        using a = noiseBuffer(plan.targetFormat, width, height, 7),
          b = noiseBuffer(plan.targetFormat, width, height, 7);
        const layers = scene.filter((layer) =>
          ours.can(layer, a, options) === true && theirs.can(layer, b, options) === true
        );
        ours.compose(a, layers, options);
        theirs.compose(b, layers, options);
        assertSamePixels(a, b, `${ours.name} and ${theirs.name}`);
      })),
    { numRuns },
  );
}

const INVERTED = [-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 1, 1, 1, 1];

/**
 * A colour transform with an offset changes the colours of pixels, not their alpha: pixels without alpha stay without
 * colour, and black of half alpha becomes white of half alpha.
 */
export function assertTransparentStays(backend: CompositionBackend, options: ComposeOptions = {}): void {
  // Alpha 0, 0 with colours brighter than their alpha, 1, 128 and 255, black; over red 20, green 200, blue 40.
  const words = [0x00000000, 0x00202020, 0x01000000, 0x80000000, 0xff000000];
  const expected = words.map((word) => {
    const alpha = word >>> 24, [r, g, b] = [20, 200, 40].map((c) => alpha + Math.round(c * (255 - alpha) / 255));
    return (0xff000000 | b << 16 | g << 8 | r) >>> 0;
  });
  using below = picture(5, Array(5).fill(0xff28c814)), veil = picture(5, words);
  using bgra = picture(5, words, FORMAT.BGRA_8888);
  for (const buffer of [veil, bgra]) {
    const layer = layerOf(buffer, { blend: BLEND.PREMULTIPLIED, colorTransform: INVERTED, z: 1 });
    assertEquals(composed(backend, [5, 1], [layerOf(below), layer], options), expected);
    const scaled = { ...layer, displayFrame: { left: 0, top: 0, right: 5, bottom: 2 } },
      twice = [...expected, ...expected];
    const under = layerOf(below, { displayFrame: scaled.displayFrame });
    assertEquals(composed(backend, [5, 2], [under, scaled], options), twice);
  }
}
