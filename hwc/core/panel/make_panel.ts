import { COLOR_MODE } from "../../device_types.ts";
import { checkPanelOptions } from "../check_options.ts";
import { makeEdid } from "./edid.ts";
import type { Panel, PanelHdr, PanelMode, PanelOptions } from "./panel.ts";

const MODE: PanelMode = { width: 1920, height: 1080, refreshRate: 60 };

/** Completes a panel. Throws a `RangeError` for impossible modes. */
export function makePanel(options: PanelOptions, number: number): Panel {
  checkPanelOptions(options);
  const { modes = [MODE], name = `Panel ${number}`, connector = number } = options;
  checkModes(name, modes);
  return {
    connection: options.connection ?? (number === 0 ? "internal" : "external"),
    name,
    connector,
    modes: modes.map((mode) => ({ ...mode })),
    edid: options.edid === undefined ? makeEdid(name, connector + 1, modes[0]) : options.edid,
    colorModes: options.colorModes ?? { [COLOR_MODE.SRGB]: [], [COLOR_MODE.DISPLAY_P3]: [] },
    hdr: options.hdr && completeHdr(options.hdr),
    doze: options.doze ?? true,
    brightness: options.brightness ?? true,
    contentTypes: options.contentTypes ?? [],
    autoLowLatency: options.autoLowLatency ?? false,
    readback: options.readback ?? true,
    contentSampling: options.contentSampling ?? true,
    orientation: options.orientation ?? 0,
    refreshToSwitch: options.refreshToSwitch ?? false,
    planes: options.planes,
    strategy: options.strategy,
  };
}

function completeHdr({ types, maxLuminance = 1000, maxAverageLuminance = 500, minLuminance = 0.005 }: PanelHdr) {
  return { types, maxLuminance, maxAverageLuminance, minLuminance };
}

function checkModes(name: string, modes: readonly PanelMode[]): void {
  if (modes.length === 0) throw new RangeError(`Cannot plug ${name}: it has no modes; give one at least`);
  const seen = new Set<string>();
  for (const { width, height, refreshRate, group = 0 } of modes) {
    const isSize = [width, height].every((value) => Number.isInteger(value) && value > 0 && value <= 65_535);
    if (!isSize || !(refreshRate > 0 && refreshRate <= 1000)) {
      const found = `${width} x ${height} at ${refreshRate} Hz`;
      throw new RangeError(`Cannot plug ${name}: no panel has a mode of ${found}; give pixels and Hertz`);
    }
    const key = [width, height, refreshRate, group].join();
    if (seen.has(key)) throw new RangeError(`Cannot plug ${name}: it has the mode ${width} x ${height} twice`);
    seen.add(key);
  }
}
