import type { Frame } from "../../../wsi/contract/frame_consumer.ts";
import type { ComposeLayer } from "../../backends/compose_layer.ts";
import { intersect } from "../../rects.ts";
import { BLEND, COMPOSITION, FORMAT, type FRect, type Rect, TRANSFORM } from "../../types.ts";
import type { FlingerLayer } from "./flinger_layer.ts";

/** The state that a layer inherits. */
export interface Inherited {
  /** The parent's left edge. */
  readonly x: number;
  /** The parent's upper edge. */
  readonly y: number;
  /** The parents' alpha. */
  readonly alpha: number;
  /** A parent is secure. */
  readonly isSecure: boolean;
}

/** A layer's state before its place in z and its visible region are known. */
export type Resolved = Omit<ComposeLayer, "z" | "visibleRegion">;

const TRANSLUCENT: ReadonlySet<number> = new Set([
  FORMAT.RGBA_8888,
  FORMAT.BGRA_8888,
  FORMAT.RGBA_FP16,
  FORMAT.RGBA_1010102,
]);

/** A layer's state for the composition; `undefined` if the layer shows nothing. */
export function resolve(layer: FlingerLayer, inherited: Inherited): Resolved | undefined {
  const { frame, state, name } = layer, alpha = state.alpha * inherited.alpha;
  if (alpha === 0 || (!frame && !state.color)) return undefined;
  const shown = frame ? ofBuffer(layer, frame, alpha) : ofColor(layer, alpha);
  const left = inherited.x + state.position.x, top = inherited.y + state.position.y;
  const { width, height } = state.size ?? shown.natural;
  const displayFrame = rounded({ left, top, right: left + width, bottom: top + height });
  if (isEmpty(displayFrame) || isEmpty(shown.resolved.sourceCrop)) return undefined;
  const { isCursor, colorTransform } = state;
  const matrix = colorTransform ? { colorTransform } : {};
  const resolved = { ...shown.resolved, ...matrix, displayFrame, isCursor, name, planeAlpha: alpha };
  return state.isSecure || inherited.isSecure ? { ...resolved, isProtected: true } : resolved;
}

/** The greatest distance from the origin, in pixels, up to which a layer's place reaches the composer unchanged. */
const FAR = 32768;
/** The smallest part of a buffer that arithmetic of 16 bits of fraction can tell from none. */
const LEAST = 2 ** -16;

/**
 * Cuts a layer that reaches far beyond a screen to the screen, and its crop in proportion, as Android does with all
 * layers: composers count in 32 bits, and scaling counts in 65536ths. Returns `undefined` for a layer that the screen
 * does not show.
 */
export function withinReach(resolved: Resolved, screen: Rect): Resolved | undefined {
  const { displayFrame: whole, sourceCrop: crop, transform, composition } = resolved;
  if (whole.left >= -FAR && whole.top >= -FAR && whole.right <= FAR && whole.bottom <= FAR) return resolved;
  const displayFrame = intersect(whole, screen);
  if (!displayFrame) return undefined;
  const sourceCrop = partOf(crop, turnedBack(fractionsOf(displayFrame, whole), transform));
  const isCursor = composition === COMPOSITION.CURSOR; // whose plane would move the part alone
  return { ...resolved, displayFrame, sourceCrop, ...isCursor ? { composition: COMPOSITION.DEVICE } : {} };
}

/** A part of a rectangle, in fractions of the whole. */
export function fractionsOf(part: FRect, whole: FRect): FRect {
  const width = whole.right - whole.left, height = whole.bottom - whole.top;
  return {
    left: (part.left - whole.left) / width,
    top: (part.top - whole.top) / height,
    right: (part.right - whole.left) / width,
    bottom: (part.bottom - whole.top) / height,
  };
}

/** The part of the buffer that a part of the display shows, both in fractions: turned counterclockwise, then flipped. */
function turnedBack({ left, top, right, bottom }: FRect, transform: number): FRect {
  if (isTurned(transform)) [left, top, right, bottom] = [top, 1 - right, bottom, 1 - left];
  if ((transform & TRANSFORM.FLIP_H) !== 0) [left, right] = [1 - right, 1 - left];
  if ((transform & TRANSFORM.FLIP_V) !== 0) [top, bottom] = [1 - bottom, 1 - top];
  return { left, top, right, bottom };
}

/** A part of a crop by fractions, never narrower than {@linkcode LEAST}. */
function partOf(crop: FRect, { left, top, right, bottom }: FRect): FRect {
  const width = crop.right - crop.left, height = crop.bottom - crop.top;
  const x = Math.min(crop.left + left * width, crop.right - LEAST);
  const y = Math.min(crop.top + top * height, crop.bottom - LEAST);
  return {
    left: x,
    top: y,
    right: Math.max(crop.left + right * width, x + LEAST),
    bottom: Math.max(crop.top + bottom * height, y + LEAST),
  };
}

type Shown = {
  readonly resolved: Omit<Resolved, "displayFrame" | "planeAlpha">;
  readonly natural: { readonly width: number; readonly height: number };
};

function ofBuffer({ state }: FlingerLayer, frame: Frame, alpha: number): Shown {
  const { buffer, damage } = frame, transform = combine(frame.transform, state.transform);
  const sourceCrop = cropOf(frame, state.crop);
  const width = sourceCrop.right - sourceCrop.left, height = sourceCrop.bottom - sourceCrop.top;
  const composition = state.isCursor ? COMPOSITION.CURSOR : COMPOSITION.DEVICE;
  const hasAlpha = TRANSLUCENT.has(buffer.pixelFormat.hal);
  const blend = blendOf(state.blend, hasAlpha, alpha), dataspace = state.dataspace ?? frame.dataspace;
  return {
    resolved: { buffer, composition, blend, transform, sourceCrop, dataspace, damage },
    natural: isTurned(transform) ? { width: height, height: width } : { width, height },
  };
}

/** The producer's crop, and the client's. */
function cropOf({ buffer: { width, height }, crop }: Frame, own: Rect | undefined): Rect {
  const whole = { left: 0, top: 0, right: width, bottom: height };
  const shown = isEmpty(crop) ? whole : intersect(crop, whole) ?? NOTHING;
  return own ? intersect(own, shown) ?? NOTHING : shown;
}

const NOTHING: Rect = { left: 0, top: 0, right: 0, bottom: 0 };

/** Bytes, as the composer's setter takes them: what the client composes is the same. */
function ofColor({ state }: FlingerLayer, alpha: number): Shown {
  const { r, g, b, a } = state.color!,
    byte = (value: number) => Math.round(255 * Math.min(1, Math.max(0, value))) / 255;
  const color = { r: byte(r), g: byte(g), b: byte(b), a: byte(a) }, natural = state.size ?? { width: 0, height: 0 };
  const sourceCrop = { left: 0, top: 0, right: natural.width, bottom: natural.height };
  const blend = blendOf(state.blend, color.a < 1, alpha), dataspace = state.dataspace ?? 0;
  const composition = COMPOSITION.SOLID_COLOR;
  return { resolved: { color, composition, blend, transform: TRANSFORM.NONE, sourceCrop, dataspace }, natural };
}

/** NONE means that nothing shows through: it does not go with an alpha. */
function blendOf(wanted: number | undefined, hasAlpha: boolean, alpha: number): number {
  if (alpha === 1 && (!hasAlpha || wanted === BLEND.NONE)) return BLEND.NONE;
  return wanted === undefined || wanted === BLEND.NONE ? BLEND.PREMULTIPLIED : wanted;
}

const FLIPS = TRANSFORM.FLIP_H | TRANSFORM.FLIP_V;

/** One TRANSFORM, then another, as a single one. */
function combine(first: number, then: number): number {
  // A flip after a turn is the other flip before it.
  const flips = (first & TRANSFORM.ROT_90) !== 0 ? swapFlips(then & FLIPS) : then & FLIPS;
  const isTurnedTwice = (first & then & TRANSFORM.ROT_90) !== 0;
  return (first & FLIPS) ^ flips ^ (isTurnedTwice ? FLIPS : 0) | ((first ^ then) & TRANSFORM.ROT_90);
}

function swapFlips(flips: number): number {
  return (flips & 1) << 1 | flips >> 1;
}

/** Whether a TRANSFORM swaps width and height. */
function isTurned(transform: number): boolean {
  return (transform & TRANSFORM.ROT_90) !== 0;
}

/** Whether a rectangle is empty. */
function isEmpty({ left, top, right, bottom }: Rect): boolean {
  return !(left < right && top < bottom);
}

/** A rectangle in whole pixels. */
function rounded({ left, top, right, bottom }: Rect): Rect {
  return { left: Math.round(left), top: Math.round(top), right: Math.round(right), bottom: Math.round(bottom) };
}
