import type { PlaneModel } from "../../planes/plane.ts";
import type { PlaneStrategy } from "../../planes/strategy.ts";

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
