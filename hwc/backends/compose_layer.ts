import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import type { PerFrameMetadata } from "../composer_records.ts";
import type { Blend, Color, Composition, FRect, Rect } from "../types.ts";

/** A layer for the backends: the values that the setters of a composer's layer have set. */
export interface ComposeLayer {
  /** The buffer that the layer shows. A layer without a buffer shows its colour. */
  readonly buffer?: GraphicBuffer;
  /** The colour of a SOLID_COLOR layer. */
  readonly color?: Color;
  /**
   * The composer of the layer: client or device. The backends draw every layer
   * except INVALID layers, and draw SOLID_COLOR layers without their buffer.
   */
  readonly composition: Composition;
  /** The blending of the layer with the layers below. */
  readonly blend: Blend;
  /** Opacity, 0 to 1, multiplied with each pixel's own alpha. */
  readonly planeAlpha: number;
  /** A combination of FLIP_H 1, FLIP_V 2 and ROT_90 4. Flips come first; the rotation is clockwise. */
  readonly transform: number;
  /** The part of the buffer that is shown, before the transform. */
  readonly sourceCrop: FRect;
  /** The layer's rectangle on the display; may extend beyond the display. */
  readonly displayFrame: Rect;
  /** A layer with a greater z is above. Layers of equal z are in the given order. */
  readonly z: number;
  /** `android_dataspace_t`; 0 is the display's own dataspace. */
  readonly dataspace: number;
  /** A hint: the part of the layer that can be visible, in display coordinates. */
  readonly visibleRegion?: readonly Rect[];
  /**
   * The parts of the buffer that changed since the last frame. An empty list means all; one empty rectangle means
   * nothing.
   */
  readonly damage?: readonly Rect[];
  /** Whether only a protected target may show the layer's pixels. Buffers with PROTECTED usage are always protected. */
  readonly isProtected?: boolean;
  /** Whether the layer is the cursor. */
  readonly isCursor?: boolean;
  /** A 4×4 matrix of 16 numbers, row-major, for row vectors, in linear light. */
  readonly colorTransform?: readonly number[];
  /** HDR metadata of the layer's pixels. */
  readonly metadata?: readonly PerFrameMetadata[];
  /** The handle of the composer's layer; none for what a composer adds, such as the client's picture. */
  readonly handle?: bigint;
  /** The layer's name in reports. Several layers may have one name. */
  readonly name?: string;
}
