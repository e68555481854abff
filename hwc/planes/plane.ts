import type { ComposeLayer } from "../backends/compose_layer.ts";

/** Factors by which a plane can scale: display pixels per source pixel, the same for both axes. */
export interface ScalingLimits {
  /** The smallest factor, such as 0.25. */
  readonly min: number;
  /** The largest factor, such as 8. */
  readonly max: number;
}

/** One hardware plane (overlay), as data. Each comment gives the default of a member that is left out. */
export interface Plane {
  /** The plane's name in messages and plans, such as `overlay1`. */
  readonly name: string;
  /**
   * The plane's place in the stack. Planes of a lower tier are below planes of a higher tier; planes of one tier can be
   * in any order.
   */
  readonly tier: number;
  /** The HAL formats that the plane scans out. */
  readonly formats: readonly number[];
  /**
   * The layouts in memory in which the plane reads a format, by the format: DRM format modifiers, such as those of
   * `MODIFIER`. Default for each format: LINEAR alone.
   */
  readonly modifiers?: Readonly<Record<number, readonly bigint[]>>;
  /** The factors of scaling. Default: the plane cannot scale. */
  readonly scaling?: ScalingLimits;
  /** The supported transforms, as `hwc_transform_t`. Default: only 0. */
  readonly transforms?: readonly number[];
  /** The supported blend modes, `hwc2_blend_mode_t`. Default NONE and PREMULTIPLIED. */
  readonly blends?: readonly number[];
  /** Whether the plane supports a plane alpha together with pixel alpha. Default `true`. */
  readonly planeAlpha?: boolean;
  /** Whether the plane can read protected buffers. Default `false`. */
  readonly protected?: boolean;
  /** Whether the plane can show one colour without a buffer. Default `false`. */
  readonly solidColor?: boolean;
  /** Whether the plane can show a sideband stream. Default `false`. */
  readonly sideband?: boolean;
  /** Whether the plane is for the cursor: only for CURSOR layers, moved without a frame. Default `false`. */
  readonly cursor?: boolean;
  /** The largest picture that the plane shows, in display pixels. Default: the whole display. */
  readonly maxSize?: { readonly width: number; readonly height: number };
  /** The largest crop that the plane reads, in source pixels. Default: no limit. */
  readonly maxSource?: { readonly width: number; readonly height: number };
  /** Whether a crop may begin and end between pixels. Default `false`. */
  readonly fractionalCrop?: boolean;
  /** The dataspaces that the plane converts, besides UNKNOWN. Default: every dataspace without HDR. */
  readonly dataspaces?: readonly number[];
  /** Whether the plane can apply a layer's colour transform. Default `false`. */
  readonly colorTransform?: boolean;
}

/** The planes of a display controller, as data. */
export interface PlaneModel {
  /** The model's name, such as `four-plane`. */
  readonly name: string;
  /** The planes, bottom first. At least one must be able to show the client target. */
  readonly planes: readonly Plane[];
  /** The most planes that may scale at a time. Default: every plane that can. */
  readonly scalers?: number;
  /** The most planes that may rotate or flip at a time. Default: every plane that can. */
  readonly rotators?: number;
  /**
   * The most that all planes together may read for a frame, in source pixels per pixel of the display: 2.5 is two and a
   * half full screens. Default: no limit.
   */
  readonly bandwidth?: number;
  /** Whether the controller can apply a colour transform to the whole picture. Default `false`. */
  readonly outputColorTransform?: boolean;
  /** Whether the client target may hold protected pixels. Default `false`. */
  readonly protectedClient?: boolean;
}

/** The properties of a buffer that decide whether a plane can show the buffer. A `GraphicBuffer` has them. */
export interface PlaneBuffer {
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** HAL pixel format. */
  readonly format: number;
  /** Usage bits. */
  readonly usage: bigint;
  /** The layout of the pixels in memory, a DRM format modifier. Default: LINEAR. */
  readonly modifier?: bigint;
}

/** A layer as a strategy sees it, without its pixels. */
export interface PlaneLayer extends Omit<ComposeLayer, "buffer"> {
  /** The layer's buffer; absent for a layer of one colour and for a sideband stream. */
  readonly buffer?: PlaneBuffer;
}
