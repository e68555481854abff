import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import type { Rect } from "../types.ts";
import type { CompositionRule } from "./backend.ts";
import type { ColorConversion } from "./color_conversion.ts";
import type { Surface } from "./surface.ts";
import type { YuvCoefficients } from "./yuv_coefficients.ts";

/** From places in the shown picture, already flipped and turned, to pixels of the buffer: x = ox + i·xi + j·xj, likewise y. */
export interface PixelMap {
  readonly ox: number;
  readonly oy: number;
  readonly xi: number;
  readonly xj: number;
  readonly yi: number;
  readonly yj: number;
}

/** One direction of a scaling, in 65536ths of a pixel. */
export interface Scaling {
  /** The place left of or above the centre of the frame's first pixel, where the first of its two taps is. */
  readonly start: number;
  /** From one pixel of the frame to the next. */
  readonly step: number;
}

/** Where the pixels of a step come from. */
export interface Source {
  /** The buffer's pixels. */
  readonly surface: Surface;
  /** The buffer itself, for who keeps something about it. */
  readonly buffer?: GraphicBuffer;
  /** Pixels of the cropped, flipped and turned picture. */
  readonly across: number;
  readonly down: number;
  /** Where they are in the buffer. */
  readonly map: PixelMap;
  /** Whether pixels are interpolated. Otherwise one of the frame is one of the picture. */
  readonly isFiltered: boolean;
  /** For integers. */
  readonly horizontal: Scaling;
  readonly vertical: Scaling;
  /** The same in fractions: where the crop begins in the picture, and how much of it one pixel of the frame is. */
  readonly exact: { readonly left: number; readonly top: number; readonly x: number; readonly y: number };
  /** For YUV. */
  readonly yuv?: YuvCoefficients;
  /** The layer says that its buffer is as it was in the last frame. */
  readonly isUnchanged: boolean;
}

/** One layer, ready to be drawn. */
export interface Step {
  /** The layer's index in the given list. */
  readonly layer: number;
  /** What it shows; without one, a colour. */
  readonly source?: Source;
  /** The colour, 0 to 1, without plane alpha. */
  readonly color: readonly [r: number, g: number, b: number, a: number];
  /** Where, unclipped. */
  readonly frame: Rect;
  /** The parts of the target that it draws; they don't overlap. */
  readonly rects: readonly Rect[];
  /** BLEND value. */
  readonly blend: number;
  /** Plane alpha. */
  readonly alpha: number;
  /** Plane alpha as a byte. */
  readonly alpha8: number;
  /** Whether nothing is seen through it. */
  readonly isOpaque: boolean;
  /** How its colours become the target's. */
  readonly conversion?: ColorConversion;
}

/** Steps for one painter, lowest first. */
export interface Run {
  /** The drawing steps. */
  readonly steps: readonly Step[];
  /** The parts of the target that the frame is about; they don't overlap. */
  readonly area: readonly Rect[];
  /** Nothing of the frame has been drawn before. */
  readonly isFirst: boolean;
  /** The parts that are filled first; these parts do not overlap. */
  readonly background: readonly Rect[];
  /** With what, 0 to 1. */
  readonly backgroundColor: readonly [r: number, g: number, b: number, a: number];
  /** The arithmetic. */
  readonly rule: CompositionRule;
}

/** The drawing functions of a backend. */
export interface Painter extends Disposable {
  /** The backend's name. */
  readonly name: string;
  /** Whether it draws into a target by a rule; if not, a sentence. */
  writes(target: Surface, rule: CompositionRule): true | string;
  /** Whether it draws a step into a target that it writes, exactly; if not, a sentence. */
  can(step: Step, target: Surface, rule: CompositionRule): true | string;
  /** Draws into a buffer's surface. When it returns, the pixels are there. */
  paint(target: Surface, run: Run, buffer?: GraphicBuffer): void;
  /** Lets go of what it keeps about a buffer. */
  forget?(buffer: GraphicBuffer): void;
  /** Gives back what it holds. */
  close(): void;
}
