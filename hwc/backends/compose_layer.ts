import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import type { Blend, Color, Composition, FRect, Rect } from "../types.ts";

/** A layer as the backends compose it: what the setters of a composer's layer have said. */
export interface ComposeLayer {
  /** What it shows. Without one, its colour. */
  readonly buffer?: GraphicBuffer;
  /** The colour of a SOLID_COLOR layer. */
  readonly color?: Color;
  /** Who composes it. The backends draw every layer they are given but INVALID ones; SOLID_COLOR ones without their buffer. */
  readonly composition: Composition;
  /** How it covers what is below. */
  readonly blend: Blend;
  /** 0 to 1, on top of each pixel's own alpha. */
  readonly planeAlpha: number;
  /** FLIP_H 1, FLIP_V 2, then ROT_90 4, clockwise. */
  readonly transform: number;
  /** The part of the buffer that is shown, before the transform. */
  readonly sourceCrop: FRect;
  /** Where on the display; may reach beyond it. */
  readonly displayFrame: Rect;
  /** Greater is above; equal ones are in the order given. */
  readonly z: number;
  /** `android_dataspace_t`; 0 is the display's own. */
  readonly dataspace: number;
  /** A hint: what of it may be seen, in display space. */
  readonly visibleRegion?: readonly Rect[];
  /** What of the buffer changed since the last frame; none is all, one empty rectangle is nothing. */
  readonly damage?: readonly Rect[];
  /** Nobody may read its pixels but a protected target. Buffers with PROTECTED usage are so anyway. */
  readonly isProtected?: boolean;
  /** It is the cursor. */
  readonly isCursor?: boolean;
  /** 4×4, row-major, for row vectors, in linear light: 16 numbers. */
  readonly colorTransform?: readonly number[];
  /** For reports. */
  readonly name?: string;
}
