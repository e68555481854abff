import { type GraphicBuffer, whyUnreadable } from "../../../wsi/buffer/graphic_buffer.ts";
import type { PlaneLayer } from "../../planes/plane.ts";
import { isSameRect, overlapOf } from "../../rects.ts";
import { type Color, type Rect, TRANSFORM } from "../../types.ts";
import type { AtomicState } from "../card/commit.ts";
import type { CardPlane } from "../card/facts.ts";
import type { Framebuffers } from "../card/framebuffers.ts";
import type { SolidColors } from "../card/solid_colors.ts";
import type { Staging } from "../card/staging.ts";
import { blendOf, colorFormatOf, rotationOf, scanoutFormat } from "../plane_model.ts";

/** Source rectangles have 16 bits after the point. */
const FRACTION = 65_536;
/** The values of a plane that changes nothing. */
const OPAQUE_ALPHA = 0xffff;
/** The colour of a layer that was given none. */
const NO_COLOR: Color = { r: 0, g: 0, b: 0, a: 0 };

/** The picture on a plane, and its place. */
export interface PlaneUse {
  /** The picture; `undefined` where the plane shows the layer's colour. */
  readonly buffer: GraphicBuffer | undefined;
  /** The number of the CRTC. */
  readonly crtc: number;
  /** The place among the planes, from the bottom; needed where planes can change places. */
  readonly order?: number;
  /** The sync_file that the kernel waits for before it shows the plane; a negative one for none. */
  readonly fence?: number;
  readonly framebuffers: Framebuffers;
  readonly solidColors: SolidColors;
  /** The copies of pictures that the card cannot read. Default: such a picture is refused. */
  readonly staging?: Staging;
  /** Whether such a picture is copied now, since it is to be shown; `false` where the kernel is only asked. */
  readonly copies?: boolean;
}

/** Whether a plane that shows one layer shows the other, too, with another picture and no other property. */
export function looksAlike(one: PlaneLayer, other: PlaneLayer): boolean {
  return one.transform === other.transform && one.blend === other.blend && one.planeAlpha === other.planeAlpha &&
    isSameRect(one.displayFrame, other.displayFrame) && isSameRect(one.sourceCrop, other.sourceCrop);
}

/**
 * Adds the picture of a plane to a commit, whose other properties the kernel has. Returns `undefined`, or why the card
 * cannot show the buffer.
 */
export function setPicture(
  state: AtomicState,
  plane: CardPlane,
  layer: PlaneLayer,
  use: PlaneUse,
): string | undefined {
  const id = use.buffer ? framebufferOf(use.buffer, plane, layer, use) : colorOf(plane, layer, use);
  if (typeof id === "string") return id;
  state.tell(plane, "FB_ID", id); // the picture in the buffer may be another
  const { fence = -1 } = use;
  if (fence >= 0) state.tell(plane, "IN_FENCE_FD", fence);
  return undefined;
}

function framebufferOf(
  buffer: GraphicBuffer,
  plane: CardPlane,
  { blend }: PlaneLayer,
  { framebuffers, staging, copies = false }: PlaneUse,
): number | string {
  const own = framebuffers.of(buffer, scanoutFormat(plane, buffer, blend));
  const copying = whyUnreadable(buffer) === undefined ? staging : undefined;
  const id = own.id || (copying?.of(buffer, plane.formats, copies) ?? 0);
  return id === 0 ? `buffer ${buffer.id} ${own.why}` : id;
}

function colorOf(plane: CardPlane, layer: PlaneLayer, { solidColors, copies = false }: PlaneUse): number | string {
  const { right, bottom } = layer.sourceCrop;
  const format = scanoutFormat(plane, { format: colorFormatOf(plane) ?? 0 }, layer.blend);
  const id = solidColors.of(layer.color ?? NO_COLOR, right, bottom, format, copies);
  return id === 0 ? "the card makes no picture of its colour" : id;
}

/** The layer of a picture that has the visible part of a layer of one colour. */
export function visiblePart(layer: PlaneLayer, area: Rect): PlaneLayer {
  const displayFrame = overlapOf(layer.displayFrame, area), { left, top, right, bottom } = displayFrame;
  const sourceCrop = { left: 0, top: 0, right: right - left, bottom: bottom - top };
  return { ...layer, displayFrame, sourceCrop, transform: TRANSFORM.NONE };
}

/** Adds a plane with a layer to a commit. Returns `undefined`, or why the card cannot show the buffer. */
export function setPlane(
  state: AtomicState,
  plane: CardPlane,
  layer: PlaneLayer,
  use: PlaneUse,
): string | undefined {
  const refusal = setPicture(state, plane, layer, use);
  if (refusal !== undefined) return refusal;
  const { left, top, right, bottom } = layer.displayFrame, crop = layer.sourceCrop, { crtc, order = 0 } = use;
  const fixed = (value: number) => Math.round(value * FRACTION);
  state.set(plane, "CRTC_ID", crtc).set(plane, "CRTC_X", left).set(plane, "CRTC_Y", top);
  state.set(plane, "CRTC_W", right - left).set(plane, "CRTC_H", bottom - top);
  state.set(plane, "SRC_X", fixed(crop.left)).set(plane, "SRC_Y", fixed(crop.top));
  state.set(plane, "SRC_W", fixed(crop.right - crop.left)).set(plane, "SRC_H", fixed(crop.bottom - crop.top));
  state.setWhereThere(plane, "rotation", rotationOf(plane, layer.transform) ?? 1n);
  state.setWhereThere(plane, "pixel blend mode", blendOf(plane, layer.blend) ?? 0n);
  state.setWhereThere(plane, "alpha", Math.round(layer.planeAlpha * OPAQUE_ALPHA));
  state.setWhereThere(plane, "zpos", Number(plane.properties.zpos?.range?.[0] ?? 0n) + order);
  return undefined;
}

/** Adds to a commit that a plane shows nothing. */
export function unsetPlane(state: AtomicState, plane: CardPlane): void {
  state.set(plane, "FB_ID", 0).set(plane, "CRTC_ID", 0);
}
