import type { Display } from "../api/display.ts";
import type { State } from "../api/state.ts";
import {
  EGL_BAD_ATTRIBUTE,
  EGL_BAD_MATCH,
  EGL_GL_COLORSPACE_BT2020_HLG_EXT,
  EGL_GL_COLORSPACE_BT2020_LINEAR_EXT,
  EGL_GL_COLORSPACE_BT2020_PQ_EXT,
  EGL_GL_COLORSPACE_DEFAULT_EXT,
  EGL_GL_COLORSPACE_DISPLAY_P3_EXT,
  EGL_GL_COLORSPACE_DISPLAY_P3_LINEAR_EXT,
  EGL_GL_COLORSPACE_DISPLAY_P3_PASSTHROUGH_EXT,
  EGL_GL_COLORSPACE_LINEAR,
  EGL_GL_COLORSPACE_SCRGB_EXT,
  EGL_GL_COLORSPACE_SCRGB_LINEAR_EXT,
  EGL_GL_COLORSPACE_SRGB,
} from "../gen/egl_constants_gen.js";
import { DATASPACE, FORMAT, LINEAR_DATASPACE } from "../../wsi/android_values.ts";

interface ColorSpace {
  /** `android_dataspace` of the frames. */
  readonly dataspace: number;
  /** The extension that introduced the color space. */
  readonly extension?: string;
  /** The color space with the same effect on colors, for drivers that do not know this one. */
  readonly like: number;
}

const wide = (name: string, dataspace: number, like: number) => ({
  dataspace,
  extension: `EGL_EXT_gl_colorspace_${name}`,
  like,
});

/** The color spaces by EGL_GL_COLORSPACE_… value. */
const SPACES: Readonly<Record<number, ColorSpace>> = {
  [EGL_GL_COLORSPACE_SRGB]: { dataspace: DATASPACE.V0_SRGB, like: EGL_GL_COLORSPACE_SRGB },
  [EGL_GL_COLORSPACE_LINEAR]: { dataspace: DATASPACE.UNKNOWN, like: EGL_GL_COLORSPACE_LINEAR },
  [EGL_GL_COLORSPACE_DEFAULT_EXT]: { dataspace: DATASPACE.UNKNOWN, like: EGL_GL_COLORSPACE_LINEAR },
  [EGL_GL_COLORSPACE_BT2020_LINEAR_EXT]: wide("bt2020_linear", LINEAR_DATASPACE.BT2020, EGL_GL_COLORSPACE_LINEAR),
  [EGL_GL_COLORSPACE_BT2020_PQ_EXT]: wide("bt2020_pq", DATASPACE.BT2020_PQ, EGL_GL_COLORSPACE_LINEAR),
  [EGL_GL_COLORSPACE_BT2020_HLG_EXT]: wide("bt2020_hlg", DATASPACE.BT2020_HLG, EGL_GL_COLORSPACE_LINEAR),
  [EGL_GL_COLORSPACE_SCRGB_LINEAR_EXT]: wide("scrgb_linear", DATASPACE.V0_SCRGB_LINEAR, EGL_GL_COLORSPACE_LINEAR),
  [EGL_GL_COLORSPACE_SCRGB_EXT]: wide("scrgb", DATASPACE.V0_SCRGB, EGL_GL_COLORSPACE_LINEAR),
  [EGL_GL_COLORSPACE_DISPLAY_P3_LINEAR_EXT]: wide(
    "display_p3_linear",
    LINEAR_DATASPACE.DISPLAY_P3,
    EGL_GL_COLORSPACE_LINEAR,
  ),
  [EGL_GL_COLORSPACE_DISPLAY_P3_EXT]: wide("display_p3", DATASPACE.DISPLAY_P3, EGL_GL_COLORSPACE_SRGB),
  [EGL_GL_COLORSPACE_DISPLAY_P3_PASSTHROUGH_EXT]: wide(
    "display_p3_passthrough",
    DATASPACE.DISPLAY_P3,
    EGL_GL_COLORSPACE_LINEAR,
  ),
};

/** The color space of a window surface. */
export interface ChosenColor {
  /** The requested EGL_GL_COLORSPACE. */
  readonly colorspace: number;
  /** `android_dataspace` of the frames. */
  readonly dataspace: number;
  /** The color space of the driver's surface; `undefined` for none. */
  readonly driver: number | undefined;
}

/**
 * Chooses the color space of a window surface for a requested EGL_GL_COLORSPACE. Returns an error code if there is
 * none.
 */
export function chooseColor(state: State, display: Display, wanted: number | undefined, hal: number) {
  if (wanted === undefined) {
    return { colorspace: EGL_GL_COLORSPACE_LINEAR, dataspace: DATASPACE.UNKNOWN, driver: undefined };
  }
  const space = SPACES[wanted];
  const knows = display.is15 || display.driverExtensions.has("EGL_KHR_gl_colorspace");
  if (!space || !knows) return EGL_BAD_ATTRIBUTE;
  const { extension, like } = space, { wideColor, hdrDisplay } = state.options;
  if (extension && !(extension.includes("bt2020") ? hdrDisplay : wideColor)) return EGL_BAD_MATCH;
  const own = !extension || display.driverExtensions.has(extension) ? wanted : like;
  const dataspace = wanted === EGL_GL_COLORSPACE_BT2020_LINEAR_EXT && hal === FORMAT.RGBA_FP16
    ? LINEAR_DATASPACE.EXTENDED_BT2020
    : space.dataspace;
  return {
    colorspace: wanted,
    dataspace,
    driver: own === EGL_GL_COLORSPACE_LINEAR || own === EGL_GL_COLORSPACE_DEFAULT_EXT ? undefined : own,
  };
}
