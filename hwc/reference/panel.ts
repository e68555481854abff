import type { PlaneModel } from "../planes/plane.ts";
import type { PlaneStrategy } from "../planes/strategy.ts";

/** A mode of a panel. */
export interface PanelMode {
  /** Pixels. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Hertz. */
  readonly refreshRate: number;
  /** Modes of a group change seamlessly. Default 0. */
  readonly group?: number;
  /** Dots per inch. Default: unknown. */
  readonly dpi?: { readonly x: number; readonly y: number };
}

/** HDR as a panel shows it, cd/m². */
export interface PanelHdr {
  /** `android_hdr_t` values. */
  readonly types: readonly number[];
  /** Of a small part. Default 1000. */
  readonly maxLuminance?: number;
  /** Of the whole. Default 500. */
  readonly maxAverageLuminance?: number;
  /** Of black. Default 0.005. */
  readonly minLuminance?: number;
}

/** A simulated panel: what it can, as data. */
export interface PanelOptions {
  /** Default: `"internal"` for the first, `"external"` for others. There is exactly one internal panel, the first, which is never unplugged. */
  readonly connection?: "internal" | "external";
  /** Default `"Panel"` and its number. */
  readonly name?: string;
  /** The connector. Default: its number. */
  readonly port?: number;
  /** Its modes, the preferred one first. Default 1920 × 1080 at 60 Hz. */
  readonly modes?: readonly PanelMode[];
  /** The EDID it tells. Default: one made from all this. `null`: it has none. */
  readonly edid?: Uint8Array | null;
  /** Colour modes beside NATIVE, with the render intents beside COLORIMETRIC. Default SRGB and DISPLAY_P3. */
  readonly colorModes?: Readonly<Record<number, readonly number[]>>;
  /** Default: no HDR. */
  readonly hdr?: PanelHdr;
  /** Whether it can show a picture with little power. Default `true`. */
  readonly doze?: boolean;
  /** Whether its brightness can be set. Default `true`. */
  readonly brightness?: boolean;
  /** CONTENT_TYPE values it understands. Default: none. */
  readonly contentTypes?: readonly number[];
  /** Whether it has a mode of low latency. Default `false`. */
  readonly autoLowLatency?: boolean;
  /** Whether what it shows can be read back. Default `true`. */
  readonly readback?: boolean;
  /** Whether what it shows can be sampled. Default `true`. */
  readonly contentSampling?: boolean;
  /** How it is mounted: TRANSFORM 0, 4, 3 or 7. Default 0. */
  readonly orientation?: number;
  /** Whether a change of the config within a group needs a frame to happen. Default `false`. */
  readonly refreshToSwitch?: boolean;
  /** The planes behind it. Default: those of the composer. */
  readonly planes?: PlaneModel;
  /** How they are used. Default: as the composer does. */
  readonly strategy?: PlaneStrategy;
}

/** A panel with all that was left out. */
export type Panel = Required<Omit<PanelOptions, "hdr" | "edid" | "planes" | "strategy">> & {
  readonly hdr: Required<PanelHdr> | undefined;
  readonly edid: Uint8Array | null;
  readonly planes: PlaneModel | undefined;
  readonly strategy: PlaneStrategy | undefined;
};
