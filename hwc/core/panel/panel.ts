import { COLOR_MODE, HDCP_LEVEL } from "../../device_types.ts";
import type { PlaneModel } from "../../planes/plane.ts";
import type { PlaneStrategy } from "../../planes/strategy.ts";
import { checkPanelOptions } from "../options.ts";

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
  /** The most that the panel's link can be protected, of HDCP_LEVEL. Default NONE: a link that cannot. */
  readonly hdcp?: number;
  /** Whether the displayed picture can be read back. Default `true`. */
  readonly readback?: boolean;
  /** Whether the displayed content can be sampled. Default `true`. */
  readonly contentSampling?: boolean;
  /** The panel's mounting: TRANSFORM 0, 4, 3 or 7. Default 0. */
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
    hdcp: options.hdcp ?? HDCP_LEVEL.NONE,
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

const HEADER = [0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0];
const MOST_PIXELS = 4095;

/**
 * Creates an EDID 1.4 block of 128 bytes for a panel, with its name, its preferred mode as a detailed timing, sRGB's
 * primaries, and a serial number.
 *
 * @example
 * ```ts
 * import { makeEdid } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * const edid = makeEdid("Panel", 1, { width: 1920, height: 1080, refreshRate: 60 });
 * assertEquals([edid.length, edid.reduce((sum, byte) => sum + byte) % 256], [128, 0]);
 * ```
 */
export function makeEdid(name: string, serial: number, mode: PanelMode): Uint8Array {
  const bytes = new Uint8Array(128), view = new DataView(bytes.buffer);
  bytes.set(HEADER);
  view.setUint16(8, manufacturer("PUM"));
  view.setUint16(10, 1, true);
  view.setUint32(12, serial >>> 0, true);
  bytes.set([1, 34, 1, 4, 0xa5], 16); // week, year from 1990, version 1.4, digital 8 bits
  bytes.set([60, 34, 120, 0x06], 21); // centimetres, gamma 2.2, sRGB and a preferred timing
  bytes.set([0xee, 0x91, 0xa3, 0x54, 0x4c, 0x99, 0x26, 0x0f, 0x50, 0x54], 25); // sRGB's primaries
  bytes.fill(1, 38, 54);
  bytes.set(detailedTiming(mode), 54);
  bytes.set(textDescriptor(0xfc, name), 72);
  bytes.set(textDescriptor(0xff, String(serial)), 90);
  bytes.set([0, 0, 0, 0x10], 108);
  bytes[127] = 256 - bytes.reduce((sum, byte) => sum + byte, 0) % 256;
  return bytes;
}

function manufacturer(letters: string): number {
  return [...letters].reduce((bits, letter) => bits << 5 | letter.charCodeAt(0) - 64, 0);
}

/** Bits of a timing are spread over the bytes: low bytes first, high nibbles together. */
function detailedTiming({ width, height, refreshRate }: PanelMode): Uint8Array {
  const [across, down] = [Math.min(width, MOST_PIXELS), Math.min(height, MOST_PIXELS)], blank = [160, 45];
  const clock = Math.min(0xffff, Math.round((across + blank[0]) * (down + blank[1]) * refreshRate / 10_000));
  const timing = new Uint8Array(18), high = (value: number) => value >> 8 & 15;
  timing.set([clock & 255, clock >> 8]);
  timing.set([across & 255, blank[0] & 255, high(across) << 4 | high(blank[0])], 2);
  timing.set([down & 255, blank[1] & 255, high(down) << 4 | high(blank[1])], 5);
  timing.set([48, 32, 0x35, 0, 600 & 255, 340 & 255, 2 << 4 | 1, 0, 0, 0x1e], 8);
  return timing;
}

function textDescriptor(tag: number, text: string): Uint8Array {
  const bytes = new Uint8Array(18).fill(0x20);
  bytes.set([0, 0, 0, tag, 0]);
  const ascii = text.replace(/[^\x20-\x7e]/g, "?").slice(0, 13);
  bytes.set([...ascii].map((letter) => letter.charCodeAt(0)), 5);
  if (ascii.length < 13) bytes[5 + ascii.length] = 0x0a;
  return bytes;
}
