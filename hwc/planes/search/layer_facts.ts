import { BLEND, COMPOSITION, FORMAT, type FRect, type Rect, TRANSFORM } from "../../types.ts";
import type { PlaneLayer } from "../plane.ts";
import { areaOf, contains, overlapOf } from "../../rects.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";

const WITH_ALPHA: ReadonlySet<number> = new Set([
  FORMAT.RGBA_8888,
  FORMAT.BGRA_8888,
  FORMAT.RGBA_FP16,
  FORMAT.RGBA_1010102,
]);

/** Whether nothing below a layer shows through anywhere in its frame. */
export function isOpaque(layer: PlaneLayer): boolean {
  if (layer.planeAlpha < 1) return false;
  if (layer.blend === BLEND.NONE) return true;
  if (layer.composition === COMPOSITION.SOLID_COLOR) return (layer.color?.a ?? 0) >= 1;
  return layer.buffer !== undefined && !WITH_ALPHA.has(layer.buffer.format);
}

/** Whether only protected planes may read it. */
export function isProtectedLayer({ isProtected, buffer }: PlaneLayer): boolean {
  return isProtected === true || (buffer !== undefined && (buffer.usage & USAGE.PROTECTED) !== 0n);
}

/** Whether a layer's pixels come from a buffer of its own. */
export function readsBuffer({ composition }: PlaneLayer): boolean {
  return composition !== COMPOSITION.SOLID_COLOR && composition !== COMPOSITION.SIDEBAND;
}

/** Returns why a layer shows nothing and needs no plane, whoever composes; `undefined` if it shows something. */
export function whyInvisible(layer: PlaneLayer, screen: Rect): string | undefined {
  if (layer.planeAlpha <= 0 && layer.blend !== BLEND.NONE) return "its opacity is 0";
  if (areaOf(overlapOf(layer.displayFrame, screen)) === 0 && layer.composition !== COMPOSITION.CURSOR) {
    return "no pixel of it lies on the display";
  }
  if (readsBuffer(layer) && !layer.buffer) return "it has no buffer yet";
  if (readsBuffer(layer) && areaOf(layer.sourceCrop) === 0) return "its crop is empty";
  return undefined;
}

/** Whether an opaque layer hides another one entirely. */
export function hides(front: PlaneLayer, behind: PlaneLayer, screen: Rect): boolean {
  return isOpaque(front) && contains(front.displayFrame, overlapOf(behind.displayFrame, screen));
}

/** The factors by which a layer is scaled to its frame, after the turn; 1 for both where nothing is read. */
export function scaleOf(layer: PlaneLayer): { x: number; y: number } {
  if (!readsBuffer(layer)) return { x: 1, y: 1 };
  const { sourceCrop: crop, displayFrame: frame } = layer, turned = (layer.transform & TRANSFORM.ROT_90) !== 0;
  const across = crop.right - crop.left, down = crop.bottom - crop.top;
  const [width, height] = turned ? [down, across] : [across, down];
  return { x: (frame.right - frame.left) / width, y: (frame.bottom - frame.top) / height };
}

/** Whether a crop begins or ends between pixels. */
export function isFractional({ left, top, right, bottom }: FRect): boolean {
  return ![left, top, right, bottom].every(Number.isInteger);
}
