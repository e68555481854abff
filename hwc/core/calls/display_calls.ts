import type { Composer } from "../../composer.ts";
import {
  COLOR_MODE,
  COLOR_TRANSFORM,
  CONNECTION_TYPE,
  CONTENT_TYPE,
  DISPLAY_CAPABILITY,
  POWER_MODE,
  RENDER_INTENT,
  VSYNC,
} from "../../device_types.ts";
import { DATASPACE, ERROR, FORMAT } from "../../types.ts";
import { checkCan, checkMatrix, checkOneOf } from "./checks.ts";
import { IDENTITY } from "../../backends/colors/color_matrix.ts";
import type { Device } from "../device.ts";
import type { Display } from "../display.ts";
import { refuse } from "../refusal.ts";

type DisplayCalls = Pick<
  Composer,
  | "getDisplayName"
  | "getDisplayType"
  | "getDozeSupport"
  | "getHdrCapabilities"
  | "setPowerMode"
  | "setVsyncEnabled"
  | "getColorModes"
  | "setColorMode"
  | "setColorTransform"
  | "getClientTargetSupport"
  | "getRenderIntents"
  | "setColorModeWithRenderIntent"
  | "getDisplayIdentificationData"
  | "getDisplayCapabilities"
  | "getDisplayBrightnessSupport"
  | "setDisplayBrightness"
  | "getDisplayConnectionType"
  | "setAutoLowLatencyMode"
  | "getSupportedContentTypes"
  | "setContentType"
  | "getDisplayPhysicalOrientation"
  | "setIdleTimerEnabled"
>;

/** Dataspaces that every client target supports. */
const TARGET_DATASPACES: readonly number[] = [DATASPACE.UNKNOWN, DATASPACE.V0_SRGB, DATASPACE.DISPLAY_P3];

/** The methods about a display's properties. */
export function displayCalls(device: Device): DisplayCalls {
  return {
    getDisplayName: (id) => nameOf(device.display(id)),
    getDisplayType: (id) => device.display(id).type,
    getDozeSupport: (id) => device.display(id).panel?.doze ?? false,
    getHdrCapabilities: (id) => {
      const { panel } = device.display(id), { types, ...luminances } = panel?.hdr ?? NO_HDR;
      return { types: [...types], ...luminances };
    },
    setPowerMode: (id, mode) => setPowerMode(device.display(id), mode),
    setVsyncEnabled(id, enabled) {
      const { physical } = device.display(id);
      checkOneOf("vsync setting", enabled, VSYNC, VSYNC.ENABLE);
      if (physical) physical.ticker.isWanted = enabled === VSYNC.ENABLE;
    },
    getColorModes: (id) => colorModesOf(device.display(id)),
    setColorMode: (id, mode) => setColorMode(device.display(id), mode, RENDER_INTENT.COLORIMETRIC),
    setColorModeWithRenderIntent: (id, mode, intent) => setColorMode(device.display(id), mode, intent),
    getRenderIntents(id, mode) {
      const display = device.display(id);
      checkOneOf("colour mode", mode, COLOR_MODE);
      return intentsOf(display, mode);
    },
    setColorTransform(id, matrix, hint) {
      const display = device.display(id);
      checkOneOf("colour transform", hint, COLOR_TRANSFORM);
      checkMatrix(matrix);
      display.colorTransform = hint === COLOR_TRANSFORM.IDENTITY ? IDENTITY : [...matrix];
      display.modify();
    },
    getClientTargetSupport(id, width, height, format, dataspace) {
      const { screen } = device.display(id);
      const can = width === screen.right && height === screen.bottom && format === FORMAT.RGBA_8888 &&
        TARGET_DATASPACES.includes(dataspace);
      checkCan(can, `show a client target of ${width} x ${height}, format ${format}, dataspace ${dataspace}`);
    },
    getDisplayIdentificationData(id) {
      const { panel } = device.display(id);
      checkCan(!!panel?.edid, "tell an EDID");
      return { port: panel!.connector, data: panel!.edid!.slice() };
    },
    getDisplayCapabilities: (id) => displayCapabilitiesOf(device.display(id)),
    getDisplayBrightnessSupport: (id) => device.display(id).panel?.brightness ?? false,
    setDisplayBrightness(id, brightness) {
      const display = device.display(id);
      checkCan(display.panel?.brightness ?? false, "set its brightness");
      const isLight = brightness === -1 || (brightness >= 0 && brightness <= 1);
      if (!isLight) refuse(ERROR.BAD_PARAMETER, `${brightness} is no brightness; give 0 to 1, or -1 for off`);
      display.brightness = brightness;
    },
    getDisplayConnectionType(id) {
      const { panel } = device.display(id);
      if (!panel) refuse(ERROR.BAD_DISPLAY, "a virtual display is not connected to anything");
      return panel.connection === "internal" ? CONNECTION_TYPE.INTERNAL : CONNECTION_TYPE.EXTERNAL;
    },
    setAutoLowLatencyMode(id, on) {
      const display = device.display(id);
      checkCan(display.panel?.autoLowLatency ?? false, "lower its latency");
      display.autoLowLatency = on;
    },
    getSupportedContentTypes: (id) => contentTypesOf(device.display(id)),
    setContentType(id, type) {
      const display = device.display(id);
      checkOneOf("content type", type, CONTENT_TYPE);
      checkCan(type === CONTENT_TYPE.NONE || contentTypesOf(display).includes(type), `tell content type ${type}`);
      display.contentType = type;
    },
    getDisplayPhysicalOrientation: (id) => device.display(id).panel?.orientation ?? 0,
    setIdleTimerEnabled(id, milliseconds) {
      const { physical } = device.display(id);
      checkCan(physical !== undefined, "rest");
      if (!(milliseconds >= 0)) {
        refuse(ERROR.BAD_PARAMETER, `${milliseconds} is no time; give milliseconds, 0 for never`);
      }
      physical!.idleness.setClientTimer(Math.round(milliseconds));
    },
  };
}

const NO_HDR = { types: [], maxLuminance: 0, maxAverageLuminance: 0, minLuminance: 0 };

/** A display's name. */
export function nameOf({ panel, mode }: Display): string {
  return panel?.name ?? `Virtual ${mode.width} x ${mode.height}`;
}

function setPowerMode(display: Display, mode: number): void {
  checkOneOf("power mode", mode, POWER_MODE);
  const isDoze = mode === POWER_MODE.DOZE || mode === POWER_MODE.DOZE_SUSPEND;
  checkCan(!isDoze || (display.panel?.doze ?? false), "doze");
  display.powerMode = mode;
  const { physical } = display;
  if (!physical) return;
  physical.ticker.isOn = mode === POWER_MODE.ON || mode === POWER_MODE.DOZE;
  if (mode !== POWER_MODE.OFF) return;
  physical.scanout.blank();
  physical.idleness.stop();
}

function colorModesOf({ panel }: Display): number[] {
  return [COLOR_MODE.NATIVE, ...Object.keys(panel?.colorModes ?? {}).map(Number)];
}

function intentsOf({ panel }: Display, mode: number): number[] {
  const isHdr = mode === COLOR_MODE.BT2100_PQ || mode === COLOR_MODE.BT2100_HLG;
  const least = isHdr ? RENDER_INTENT.TONE_MAP_COLORIMETRIC : RENDER_INTENT.COLORIMETRIC;
  return [least, ...(panel?.colorModes[mode] ?? []).filter((intent) => intent !== least)];
}

function setColorMode(display: Display, mode: number, intent: number): void {
  checkOneOf("colour mode", mode, COLOR_MODE);
  if (intent < 0 || !Number.isInteger(intent)) {
    refuse(ERROR.BAD_PARAMETER, `${intent} is no render intent; give one of getRenderIntents()`);
  }
  checkCan(colorModesOf(display).includes(mode), `show colour mode ${mode}`);
  const isHdr = intentsOf(display, mode)[0] !== RENDER_INTENT.COLORIMETRIC;
  const wanted = isHdr && intent === RENDER_INTENT.COLORIMETRIC ? RENDER_INTENT.TONE_MAP_COLORIMETRIC : intent;
  checkCan(intentsOf(display, mode).includes(wanted), `render with intent ${intent}`);
  display.colorMode = mode;
  display.renderIntent = wanted;
  display.modify();
}

function contentTypesOf({ panel }: Display): number[] {
  return (panel?.contentTypes ?? []).filter((type) => type !== CONTENT_TYPE.NONE);
}

function displayCapabilitiesOf({ panel, model, physical }: Display): number[] {
  return [
    ...(model.outputColorTransform ? [DISPLAY_CAPABILITY.SKIP_CLIENT_COLOR_TRANSFORM] : []),
    ...(panel?.doze ? [DISPLAY_CAPABILITY.DOZE] : []),
    ...(panel?.brightness ? [DISPLAY_CAPABILITY.BRIGHTNESS] : []),
    ...(model.protectedClient ? [DISPLAY_CAPABILITY.PROTECTED_CONTENTS] : []),
    ...(panel?.autoLowLatency ? [DISPLAY_CAPABILITY.AUTO_LOW_LATENCY_MODE] : []),
    ...(physical ? [DISPLAY_CAPABILITY.DISPLAY_IDLE_TIMER] : []),
  ];
}
