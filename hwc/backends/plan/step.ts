import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import type { Rect } from "../../types.ts";
import type { CompositionRule } from "../backend.ts";
import type { ColorConversion } from "../colors/color_conversion.ts";
import type { RgbToYuv } from "../colors/yuv_coefficients.ts";
import type { Surface } from "../surface.ts";
import type { TileReader } from "../tiles/tile_reader.ts";
import type { YuvCoefficients } from "../colors/yuv_coefficients.ts";

/**
 * Maps places in the shown picture, already flipped and turned, to pixels of
 * the buffer: x = ox + i·xi + j·xj, and y in the same way.
 */
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
  /** The place of the first of two taps: left of or above the centre of the frame's first pixel. */
  readonly start: number;
  /** From one pixel of the frame to the next. */
  readonly step: number;
}

/** The source of a step's pixels. */
export interface Source {
  /** The buffer's pixels. */
  readonly surface: Surface;
  /** The buffer itself, for who keeps something about it. */
  readonly buffer?: GraphicBuffer;
  /** Pixels of the cropped, flipped and turned picture. */
  readonly across: number;
  readonly down: number;
  /** The places of the pixels in the buffer. */
  readonly map: PixelMap;
  /** Whether pixels are interpolated. Otherwise one of the frame is one of the picture. */
  readonly isFiltered: boolean;
  /** For integers. */
  readonly horizontal: Scaling;
  readonly vertical: Scaling;
  /**
   * The same in fractions: the begin of the crop in the picture, and the part
   * of it that one pixel of the frame covers.
   */
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
  /** The picture to show; without one, a colour is shown. */
  readonly source?: Source;
  /** The colour, 0 to 1, without plane alpha. */
  readonly color: readonly [r: number, g: number, b: number, a: number];
  /** The layer's frame, unclipped. */
  readonly frame: Rect;
  /** The parts of the target that it draws; they don't overlap. */
  readonly rects: readonly Rect[];
  /** BLEND value. */
  readonly blend: number;
  /** Plane alpha. */
  readonly alpha: number;
  /** Plane alpha as a byte. */
  readonly alpha8: number;
  /** Whether the step hides everything below. */
  readonly isOpaque: boolean;
  /** The conversion of its colours to the target's. */
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
  /** The colour of the background, 0 to 1. */
  readonly backgroundColor: readonly [r: number, g: number, b: number, a: number];
  /** The arithmetic. */
  readonly rule: CompositionRule;
}

/** A picture that becomes YUV. */
export interface YuvJob {
  /** The RGBA picture, and its pixels. */
  readonly picture: GraphicBuffer;
  readonly from: Surface;
  /** The YUV buffer of the same size, and its samples. */
  readonly target: GraphicBuffer;
  readonly to: Surface;
  /** The parts to write, with the chroma that these change. */
  readonly rects: readonly Rect[];
  readonly conversion: RgbToYuv;
}

/** The drawing functions of a backend. */
export interface Painter extends Disposable {
  /** The backend's name. */
  readonly name: string;
  /** Returns `true` if the painter draws into a target by a rule; else a sentence that says why not. */
  writes(target: Surface, rule: CompositionRule): true | string;
  /**
   * Returns `true` if the painter draws a step exactly into a target that it
   * writes; else a sentence that says why not.
   */
  can(step: Step, target: Surface, rule: CompositionRule): true | string;
  /** Draws into a buffer's surface. When it returns, the pixels are there. */
  paint(target: Surface, run: Run, buffer?: GraphicBuffer): void;
  /**
   * Writes a picture that the painter has drawn to a YUV buffer, with the samples that the processor writes. Returns `false`, and
   * writes nothing, if it cannot write these planes.
   */
  writeYuv?(job: YuvJob): boolean;
  /** Reads buffers in tiles, for all painters of a backend. */
  readonly tiles?: TileReader;
  /** Frees what is kept about a buffer. */
  forget?(buffer: GraphicBuffer): void;
  /** Gives back what it holds. */
  close(): void;
}
