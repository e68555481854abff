import { BLEND, DATASPACE, FORMAT, TRANSFORM } from "../types.ts";
import type { Plane, PlaneModel } from "./plane.ts";

const RGB = [FORMAT.RGBA_8888, FORMAT.RGBX_8888, FORMAT.RGB_888, FORMAT.RGB_565, FORMAT.BGRA_8888];
const WIDE = [FORMAT.RGBA_1010102, FORMAT.RGBA_FP16];
const YUV = [
  FORMAT.YCBCR_420_888,
  FORMAT.YCRCB_420_SP,
  FORMAT.YV12,
  FORMAT.YCBCR_P010,
  FORMAT.YCBCR_422_SP,
  FORMAT.YCBCR_422_I,
  FORMAT.IMPLEMENTATION_DEFINED,
];
const HALF_TURNS = [TRANSFORM.NONE, TRANSFORM.FLIP_H, TRANSFORM.FLIP_V, TRANSFORM.ROT_180];
const ALL_TURNS = Object.values(TRANSFORM);
const BLENDS = [BLEND.NONE, BLEND.PREMULTIPLIED, BLEND.COVERAGE];
const EVERY_DATASPACE = Object.values(DATASPACE);

/**
 * A framebuffer only: one plane that cannot scale, rotate or blend.
 *
 * @example
 * ```ts
 * import { onePlane } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(onePlane().planes.map(({ name }) => name), ["primary"]);
 * ```
 */
export function onePlane(): PlaneModel {
  return {
    name: "one-plane",
    planes: [{ name: "primary", tier: 0, formats: [...RGB], planeAlpha: false, blends: [BLEND.NONE] }],
    outputColorTransform: true,
  };
}

/**
 * The minimum that Android asks for: four overlays, for the wallpaper, an application, the status bar and the system
 * bar. All planes blend with pixel alpha and plane alpha, two planes scale at a time, and all planes together read
 * three screens a frame.
 *
 * @example
 * ```ts
 * import { createReferenceComposer, fourPlane } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(fourPlane().planes.length, 4);
 * createReferenceComposer({ planes: fourPlane() });
 * ```
 */
export function fourPlane(): PlaneModel {
  const overlay = (index: number): Plane => ({
    name: `overlay${index}`,
    tier: 0,
    formats: [...RGB, FORMAT.RGBA_1010102],
    scaling: { min: 0.25, max: 4 },
    transforms: HALF_TURNS,
    blends: [BLEND.NONE, BLEND.PREMULTIPLIED],
  });
  return {
    name: "four-plane",
    planes: [0, 1, 2, 3].map(overlay),
    scalers: 2,
    bandwidth: 3.5,
    outputColorTransform: true,
  };
}

/**
 * A large controller: a primary plane at the bottom, six overlays in any order with scalers, rotation, YUV, protected
 * and sideband streams, and a cursor on top.
 *
 * @example
 * ```ts
 * import { eightPlane } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(eightPlane().planes.length, 8);
 * ```
 */
export function eightPlane(): PlaneModel {
  const overlay = (index: number): Plane => ({
    name: `overlay${index}`,
    tier: 1,
    formats: [...RGB, ...WIDE, ...YUV],
    scaling: { min: 0.125, max: 8 },
    transforms: ALL_TURNS,
    blends: BLENDS,
    protected: true,
    sideband: true,
    solidColor: true,
    fractionalCrop: true,
    dataspaces: EVERY_DATASPACE,
    colorTransform: true,
  });
  return {
    name: "eight-plane",
    planes: [
      { name: "primary", tier: 0, formats: [...RGB], transforms: HALF_TURNS, blends: BLENDS },
      ...[1, 2, 3, 4, 5, 6].map(overlay),
      { name: "cursor", tier: 2, formats: [FORMAT.RGBA_8888], cursor: true, maxSize: { width: 256, height: 256 } },
    ],
    scalers: 4,
    rotators: 2,
    bandwidth: 6,
    outputColorTransform: true,
    protectedClient: true,
  };
}

/**
 * A set-top box: one plane at the bottom for video, which scales and reads protected YUV, and two planes above for
 * graphics.
 *
 * @example
 * ```ts
 * import { videoPlane } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(videoPlane().planes[0].name, "video");
 * ```
 */
export function videoPlane(): PlaneModel {
  const graphics = (index: number): Plane => ({ name: `graphics${index}`, tier: index, formats: [...RGB] });
  return {
    name: "video-plane",
    planes: [
      {
        name: "video",
        tier: 0,
        formats: [...YUV],
        scaling: { min: 0.25, max: 16 },
        planeAlpha: false,
        blends: [BLEND.NONE],
        protected: true,
        sideband: true,
        fractionalCrop: true,
        dataspaces: EVERY_DATASPACE,
      },
      graphics(1),
      graphics(2),
    ],
    outputColorTransform: true,
  };
}

/**
 * A blitter that composes into memory, as for virtual displays: it draws a frame's layers one after the other, with
 * every blend mode, rotation and scale.
 *
 * @example
 * ```ts
 * import { blitterPlane } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(blitterPlane().planes[0].name, "step0");
 * ```
 */
export function blitterPlane(): PlaneModel {
  const step = (index: number): Plane => ({
    name: `step${index}`,
    tier: 0,
    formats: [...RGB, ...WIDE, ...YUV],
    scaling: { min: 1 / 64, max: 64 },
    transforms: ALL_TURNS,
    blends: BLENDS,
    solidColor: true,
    fractionalCrop: true,
    dataspaces: EVERY_DATASPACE,
    colorTransform: true,
  });
  return { name: "blitter", planes: Array.from({ length: 32 }, (_, index) => step(index)), outputColorTransform: true };
}

/** The plane models by name. */
export const PLANE_MODELS: Readonly<Record<string, () => PlaneModel>> = {
  "one-plane": onePlane,
  "four-plane": fourPlane,
  "eight-plane": eightPlane,
  "video-plane": videoPlane,
  blitter: blitterPlane,
};
