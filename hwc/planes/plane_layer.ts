import type { Blend, Color, Composition, FRect, Rect } from "../types.ts";

/** What of a buffer decides whether a plane can show it. A GraphicBuffer has it. */
export interface PlaneBuffer {
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** HAL pixel format. */
  readonly format: number;
  /** Usage bits. */
  readonly usage: bigint;
}

/** A layer as the strategy sees it. */
export interface PlaneLayer {
  /** What it shows. Layers of one colour and sideband streams have none. */
  readonly buffer?: PlaneBuffer;
  /** The colour, for SOLID_COLOR. */
  readonly color?: Color;
  /** Who the client wants to compose it. */
  readonly composition: Composition;
  /** How it is put over what is below. */
  readonly blend: Blend;
  /** Opacity of the whole layer, 0 to 1. */
  readonly planeAlpha: number;
  /** FLIP_H 1, FLIP_V 2, ROT_90 4; flips first. */
  readonly transform: number;
  /** The part of the buffer, in its pixels, before the transform. */
  readonly sourceCrop: FRect;
  /** Where it is shown, in the display's pixels. */
  readonly displayFrame: Rect;
  /** Greater is in front. */
  readonly z: number;
  /** `android_dataspace_t` of the pixels. */
  readonly dataspace: number;
  /** The part that can be seen: a hint. */
  readonly visibleRegion?: readonly Rect[];
  /** What changed since the frame before, in the buffer's pixels. */
  readonly damage?: readonly Rect[];
  /** Whether only protected outputs may read it. */
  readonly isProtected?: boolean;
  /** Whether it is moved without a frame of its own. */
  readonly isCursor?: boolean;
  /** 4×4, row-major, on linear light. */
  readonly colorTransform?: readonly number[];
  /** For people. */
  readonly name?: string;
}
