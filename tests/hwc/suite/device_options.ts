import { COLOR_MODE, CONTENT_TYPE, HDR, RENDER_INTENT } from "../../../hwc/device_types.ts";
import { eightPlane } from "../../../hwc/planes/models.ts";
import type { ReferenceComposerOptions } from "../../../hwc/core/options.ts";
import type { PanelOptions } from "../../../hwc/core/panel/panel.ts";

/** A small panel with everything. */
export const RICH: PanelOptions = {
  name: "Rich",
  modes: [
    { width: 96, height: 64, refreshRate: 60, dpi: { x: 160, y: 161 } },
    { width: 96, height: 64, refreshRate: 90 },
    { width: 128, height: 96, refreshRate: 60, group: 1 },
  ],
  colorModes: {
    [COLOR_MODE.SRGB]: [RENDER_INTENT.ENHANCE],
    [COLOR_MODE.DISPLAY_P3]: [],
    [COLOR_MODE.BT2100_PQ]: [RENDER_INTENT.TONE_MAP_ENHANCE],
  },
  hdr: { types: [HDR.HDR10, HDR.HLG] },
  contentTypes: [CONTENT_TYPE.GRAPHICS, CONTENT_TYPE.PHOTO, CONTENT_TYPE.CINEMA, CONTENT_TYPE.GAME],
  autoLowLatency: true,
};

/** A small panel with as little as there can be. */
export const PLAIN: PanelOptions = {
  name: "Plain",
  modes: [{ width: 80, height: 60, refreshRate: 50 }],
  edid: null,
  colorModes: {},
  doze: false,
  brightness: false,
  readback: false,
  contentSampling: false,
};

/** The device that cases get unless they want another: a rich panel and a plain one. */
export const DEFAULT_DEVICE: ReferenceComposerOptions = {
  panels: [RICH, PLAIN],
  planes: eightPlane(),
  flattenAfter: 0,
};
