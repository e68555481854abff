import type { Display } from "../api/display.ts";
import { Failure } from "../api/codes.ts";
import type { State } from "../api/state.ts";
import {
  EGL_GL_COLORSPACE_DEFAULT_EXT,
  EGL_GL_COLORSPACE_LINEAR,
  EGL_GL_COLORSPACE_SRGB,
} from "../gen/egl_constants_gen.js";

const HAL_FP16 = 0x16, EXTENDED_BT2020_LINEAR = 0x18460000;

interface ColorSpace {
  /** `android_dataspace` of the frames. */
  readonly dataspace: number;
  /** The extension that names it. */
  readonly extension?: string;
  /** What drawing to it does to colors, for drivers that don't know it. */
  readonly like: number;
}

const wide = (name: string, dataspace: number, like: number) => ({
  dataspace,
  extension: `EGL_EXT_gl_colorspace_${name}`,
  like,
});

/** By EGL_GL_COLORSPACE_… value. */
const SPACES: Readonly<Record<number, ColorSpace>> = {
  [EGL_GL_COLORSPACE_SRGB]: { dataspace: 0x08810000, like: EGL_GL_COLORSPACE_SRGB },
  [EGL_GL_COLORSPACE_LINEAR]: { dataspace: 0, like: EGL_GL_COLORSPACE_LINEAR },
  [EGL_GL_COLORSPACE_DEFAULT_EXT]: { dataspace: 0, like: EGL_GL_COLORSPACE_LINEAR },
  0x333F: wide("bt2020_linear", 0x08460000, EGL_GL_COLORSPACE_LINEAR),
  0x3340: wide("bt2020_pq", 0x09c60000, EGL_GL_COLORSPACE_LINEAR),
  0x3540: wide("bt2020_hlg", 0x0a060000, EGL_GL_COLORSPACE_LINEAR),
  0x3350: wide("scrgb_linear", 0x18410000, EGL_GL_COLORSPACE_LINEAR),
  0x3351: wide("scrgb", 0x18810000, EGL_GL_COLORSPACE_LINEAR),
  0x3362: wide("display_p3_linear", 0x084a0000, EGL_GL_COLORSPACE_LINEAR),
  0x3363: wide("display_p3", 0x088a0000, EGL_GL_COLORSPACE_SRGB),
  0x3490: wide("display_p3_passthrough", 0x088a0000, EGL_GL_COLORSPACE_LINEAR),
};

/** What becomes of a wanted color space. */
export interface ChosenColor {
  /** As asked for. */
  readonly colorspace: number;
  /** `android_dataspace` of the frames. */
  readonly dataspace: number;
  /** What the driver's surface is given; `undefined` for nothing. */
  readonly driver: number | undefined;
}

/** Sees what a window surface with this EGL_GL_COLORSPACE is, or the error that it cannot be. */
export function chooseColor(state: State, display: Display, wanted: number | undefined, hal: number) {
  if (wanted === undefined) return { colorspace: EGL_GL_COLORSPACE_LINEAR, dataspace: 0, driver: undefined };
  const space = SPACES[wanted];
  const knows = display.is15 || display.driverExtensions.has("EGL_KHR_gl_colorspace");
  if (!space || !knows) return Failure.badAttribute;
  const { extension, like } = space, { wideColor, hdr } = state.options;
  if (extension && !(extension.includes("bt2020") ? hdr : wideColor)) return Failure.badMatch;
  const own = !extension || display.driverExtensions.has(extension) ? wanted : like;
  const dataspace = wanted === 0x333F && hal === HAL_FP16 ? EXTENDED_BT2020_LINEAR : space.dataspace;
  return {
    colorspace: wanted,
    dataspace,
    driver: own === EGL_GL_COLORSPACE_LINEAR || own === EGL_GL_COLORSPACE_DEFAULT_EXT ? undefined : own,
  };
}
