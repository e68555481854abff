import { TRANSFORM } from "../../types.ts";
import type { ComposeLayer } from "../compose_layer.ts";
import type { PixelMap, Scaling, Source } from "./step.ts";
import { type Surface, surfaceOf } from "../surface.ts";
import { yuvCoefficients } from "../colors/yuv_coefficients.ts";

const ONE = 65536;

/** The shown part of a buffer: whole pixels that hold the crop, and their excess on each side. */
interface Crop {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The source of a layer's pixels; a sentence if the layer has none to show. */
export function sourceOf(layer: ComposeLayer): Source | string {
  if (!layer.buffer) return "it has no buffer";
  const surface = surfaceOf(layer.buffer);
  if (typeof surface === "string") return surface;
  const crop = cropOf(layer, surface);
  if (!crop) return "its crop is empty or outside the buffer";
  const [first, ...more] = layer.damage ?? [];
  const isUnchanged = first !== undefined && more.length === 0 &&
    !(first.left < first.right && first.top < first.bottom);
  return { ...geometryOf(layer, crop), surface, buffer: layer.buffer, ...yuvOf(layer, surface), isUnchanged };
}

function yuvOf({ dataspace }: ComposeLayer, { kind, width, height }: Surface): Pick<Source, "yuv"> {
  return kind === "yuv" ? { yuv: yuvCoefficients(dataspace, width, height) } : {};
}

function cropOf({ sourceCrop }: ComposeLayer, { width, height }: Surface): Crop | undefined {
  const left = Math.max(0, sourceCrop.left), top = Math.max(0, sourceCrop.top);
  const right = Math.min(width, sourceCrop.right), bottom = Math.min(height, sourceCrop.bottom);
  if (!(left < right && top < bottom)) return undefined;
  const x = Math.floor(left), y = Math.floor(top), endX = Math.ceil(right), endY = Math.ceil(bottom);
  const size = { x, y, width: endX - x, height: endY - y };
  return { ...size, left: left - x, top: top - y, right: endX - right, bottom: endY - bottom };
}

function geometryOf({ transform, displayFrame: frame }: ComposeLayer, crop: Crop) {
  const isTurned = (transform & TRANSFORM.ROT_90) !== 0;
  const flipH = (transform & TRANSFORM.FLIP_H) !== 0, flipV = (transform & TRANSFORM.FLIP_V) !== 0;
  const [across, down] = isTurned ? [crop.height, crop.width] : [crop.width, crop.height];
  const shownX = crop.width - crop.left - crop.right, shownY = crop.height - crop.top - crop.bottom;
  const beforeX = flipH ? crop.right : crop.left, beforeY = flipV !== isTurned ? crop.bottom : crop.top;
  const [left, top] = isTurned ? [beforeY, beforeX] : [beforeX, beforeY];
  const [wide, high] = isTurned ? [shownY, shownX] : [shownX, shownY];
  const width = frame.right - frame.left, height = frame.bottom - frame.top;
  return {
    across,
    down,
    map: mapOf(crop, isTurned, flipH, flipV),
    isFiltered: wide !== width || high !== height || left !== 0 || top !== 0,
    horizontal: scaling(left, wide, width),
    vertical: scaling(top, high, height),
    exact: { left, top, x: wide / width, y: high / height },
  };
}

/** Flips come first, then the turn: so backwards the turn is undone first. */
function mapOf(crop: Crop, isTurned: boolean, flipH: boolean, flipV: boolean): PixelMap {
  const backwardsX = flipH, backwardsY = flipV !== isTurned;
  const ox = crop.x + (backwardsX ? crop.width - 1 : 0), oy = crop.y + (backwardsY ? crop.height - 1 : 0);
  const x = backwardsX ? -1 : 1, y = backwardsY ? -1 : 1;
  return isTurned ? { ox, oy, xi: 0, xj: x, yi: y, yj: 0 } : { ox, oy, xi: x, xj: 0, yi: 0, yj: y };
}

/** The place of the first pixel's centre is half a step in; half a pixel before it is the first tap's centre. */
function scaling(before: number, shown: number, pixels: number): Scaling {
  const step = Math.round(shown * ONE / pixels);
  return { step, start: Math.round(before * ONE) + ((step + 1) >> 1) - ONE / 2 };
}
