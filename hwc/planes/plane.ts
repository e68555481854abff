/** Factors by which a plane can scale: display pixels per source pixel, the same for both axes. */
export interface ScalingLimits {
  /** The most it can shrink, such as 0.25. */
  readonly min: number;
  /** The most it can enlarge, such as 8. */
  readonly max: number;
}

/**
 * One hardware plane (overlay), as data. What it does not say it cannot do is
 * left to the strategy: the comments give the defaults.
 */
export interface Plane {
  /** For people and plans, such as `overlay1`. */
  readonly name: string;
  /**
   * Where it lies: planes of a lower tier lie below those of a higher one;
   * planes of the same tier can be put in any order.
   */
  readonly tier: number;
  /** HAL formats it scans out. */
  readonly formats: readonly number[];
  /** Default: it cannot scale. */
  readonly scaling?: ScalingLimits;
  /** Transforms it can do, as `hwc_transform_t`. Default: none but 0. */
  readonly transforms?: readonly number[];
  /** Blend modes it can do, `hwc2_blend_mode_t`. Default NONE and PREMULTIPLIED. */
  readonly blends?: readonly number[];
  /** Whether it has an opacity of its own, together with that of the pixels. Default `true`. */
  readonly planeAlpha?: boolean;
  /** Whether it can read protected buffers. Default `false`. */
  readonly protected?: boolean;
  /** Whether it can show one colour without a buffer. Default `false`. */
  readonly solidColor?: boolean;
  /** Whether it can show a sideband stream. Default `false`. */
  readonly sideband?: boolean;
  /** Whether it is a cursor's: for CURSOR layers only, moved without a frame. Default `false`. */
  readonly cursor?: boolean;
  /** The largest picture it shows, in display pixels. Default: the whole display. */
  readonly maxSize?: { readonly width: number; readonly height: number };
  /** The largest crop it reads, in source pixels. Default: any. */
  readonly maxSource?: { readonly width: number; readonly height: number };
  /** Whether crops may begin and end between pixels. Default `false`. */
  readonly fractionalCrop?: boolean;
  /** Dataspaces it converts; UNKNOWN it always takes. Default: any that is not HDR. */
  readonly dataspaces?: readonly number[];
  /** Whether it can apply a layer's colour transform. Default `false`. */
  readonly colorTransform?: boolean;
}

/** What a display controller has, as data. */
export interface PlaneModel {
  /** For people, such as `four-plane`. */
  readonly name: string;
  /** Its planes, bottom first. One at least must be able to show the client target. */
  readonly planes: readonly Plane[];
  /** How many planes may scale at a time. Default: all that can. */
  readonly scalers?: number;
  /** How many planes may turn or flip at a time. Default: all that can. */
  readonly rotators?: number;
  /**
   * How much all planes together may read for a frame, in source pixels per
   * pixel of the display: 2.5 is two and a half full screens. Default: no limit.
   */
  readonly bandwidth?: number;
  /** Whether the whole picture can get a colour transform. Default `false`. */
  readonly outputColorTransform?: boolean;
  /** Whether the client target may hold protected pixels. Default `false`. */
  readonly protectedClient?: boolean;
}
