/**
 * Hwc2Test's own arithmetic for what a virtual display has to write, after the
 * old raw-interface suite: colours are bytes that are cut off at every step,
 * alpha is a float, buffers' own alpha counts as 1, one colour replaces.
 *
 * @module
 */
import { BLEND, TRANSFORM } from "../../../../hwc/types.ts";

/** A picture: red, green, blue and alpha bytes row by row. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** A layer: a picture at a place, neither scaled nor cropped. */
export interface TestLayer {
  readonly pixels?: Pixels;
  readonly color?: { readonly r: number; readonly g: number; readonly b: number; readonly a: number };
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly blend: number;
  readonly alpha: number;
  readonly transform: number;
}

const single = Math.fround;

/** The place in the buffer from which a pixel of the frame comes. */
function sourceOf({ width, height, transform }: TestLayer, x: number, y: number): [number, number] {
  switch (transform) {
    case TRANSFORM.FLIP_H:
      return [width - 1 - x, y];
    case TRANSFORM.FLIP_V:
      return [x, height - 1 - y];
    case TRANSFORM.ROT_90:
      return [y, width - 1 - x];
    default:
      return [x, y];
  }
}

/** The picture that the layers make of one that was black and clear, from the bottom. */
export function expectedPixels(width: number, height: number, layers: readonly TestLayer[]): Uint8Array {
  const result = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) result.set(pixelOf(layers, x, y), (y * width + x) * 4);
  }
  return result;
}

function pixelOf(layers: readonly TestLayer[], x: number, y: number): number[] {
  let color = [0, 0, 0], alpha = 0;
  for (const layer of layers) {
    const [u, v] = [x - layer.left, y - layer.top];
    if (u < 0 || v < 0 || u >= layer.width || v >= layer.height) continue;
    if (layer.color) {
      color = [layer.color.r, layer.color.g, layer.color.b];
      alpha = single(layer.color.a * single(layer.alpha));
      continue;
    }
    const { pixels, blend } = layer, p = single(layer.alpha), [sx, sy] = sourceOf(layer, u, v);
    const at = (sy * pixels!.width + sx) * 4, source = [...pixels!.data.subarray(at, at + 3)];
    if (blend === BLEND.NONE) [color, alpha] = [source, p];
    else if (blend === BLEND.PREMULTIPLIED) {
      color = source.map((value, channel) => Math.trunc(Math.trunc(single(value * p)) + color[channel] * (1 - p)));
      alpha = single(p + alpha * (1 - p));
    } else {
      color = source.map((value, channel) => Math.trunc(single(value * p) + color[channel] * (1 - p)));
      alpha = single(p * p + alpha * (1 - p));
    }
  }
  return [...color, Math.min(255, Math.trunc(single(alpha * 255)))];
}
