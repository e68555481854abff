import { COLOR_MODE } from "../../device_types.ts";
import type { PlaneModel } from "../../planes/plane.ts";
import type { PlaneStrategy } from "../../planes/strategy.ts";
import { checkPanelOptions } from "../options.ts";
import { makeEdid } from "./edid.ts";

/** A mode of a panel. */
export interface PanelMode {
  /** Pixels. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Hertz. */
  readonly refreshRate: number;
  /** Changes between modes of one group are seamless. Default 0. */
  readonly group?: number;
  /** Dots per inch. Default: unknown. */
  readonly dpi?: { readonly x: number; readonly y: number };
}

/** The HDR capabilities of a panel; luminances in cd/m². */
export interface PanelHdr {
  /** `android_hdr_t` values. */
  readonly types: readonly number[];
  /** Luminance of a small white area. Default 1000. */
  readonly maxLuminance?: number;
  /** Luminance of a white screen. Default 500. */
  readonly maxAverageLuminance?: number;
  /** Luminance of black. Default 0.005. */
  readonly minLuminance?: number;
}

/** A simulated panel: its capabilities, as data. */
export interface PanelOptions {
  /**
   * Default: `"internal"` for the first panel, `"external"` for others. Exactly one panel, the first, is internal; this
   * panel is never unplugged.
   */
  readonly connection?: "internal" | "external";
  /** Default `"Panel"` and the panel's number. */
  readonly name?: string;
  /** The number of the connector, which `getDisplayIdentificationData` returns as `port`. Default: the panel's number. */
  readonly connector?: number;
  /** The modes, the preferred one first. Default 1920 × 1080 at 60 Hz. */
  readonly modes?: readonly PanelMode[];
  /** The panel's EDID. Default: an EDID made from the other options. `null`: no EDID. */
  readonly edid?: Uint8Array | null;
  /**
   * Colour modes in addition to NATIVE, with render intents in addition to COLORIMETRIC. Default SRGB and DISPLAY_P3.
   */
  readonly colorModes?: Readonly<Record<number, readonly number[]>>;
  /** Default: no HDR. */
  readonly hdr?: PanelHdr;
  /** Whether the panel supports DOZE. Default `true`. */
  readonly doze?: boolean;
  /** Whether the brightness can be set. Default `true`. */
  readonly brightness?: boolean;
  /** The supported CONTENT_TYPE values. Default: none. */
  readonly contentTypes?: readonly number[];
  /** Whether the panel has a mode of low latency. Default `false`. */
  readonly autoLowLatency?: boolean;
  /** Whether the displayed picture can be read back. Default `true`. */
  readonly readback?: boolean;
  /** Whether the displayed content can be sampled. Default `true`. */
  readonly contentSampling?: boolean;
  /** How the panel is mounted: TRANSFORM 0, 4, 3 or 7. Default 0. */
  readonly orientation?: number;
  /** Whether a change of the config within a group needs a new frame. Default `false`. */
  readonly refreshToSwitch?: boolean;
  /** The panel's planes. Default: those of the composer's option. */
  readonly planes?: PlaneModel;
  /** The strategy for the panel's planes. Default: that of the composer's option. */
  readonly strategy?: PlaneStrategy;
}

/** A panel with all that was left out. */
export type Panel = Required<Omit<PanelOptions, "hdr" | "edid" | "planes" | "strategy">> & {
  readonly hdr: Required<PanelHdr> | undefined;
  readonly edid: Uint8Array | null;
  readonly planes: PlaneModel | undefined;
  readonly strategy: PlaneStrategy | undefined;
};

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
