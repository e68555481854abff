import {
  checkOptions,
  list,
  number,
  object,
  oneOf,
  type OptionRules,
  text,
  typed,
  yesOrNo,
} from "../../ffi/check_options.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import type { ComposeOptions } from "../backends/backend.ts";
import type { ComposeLayer } from "../backends/compose_layer.ts";
import { HDCP_LEVEL } from "../device_types.ts";
import type { PlaneModel } from "../planes/plane.ts";
import type { PlaneStrategy } from "../planes/strategy.ts";
import type { PanelMode, PanelOptions } from "./panel/panel.ts";
import type { Clock } from "./time/clock.ts";

/**
 * The initial config of a panel, by port. The caller keeps this object, and can use it for several composers one after
 * the other.
 */
export type BootConfigs = Map<number, number>;

/** Settings of {@linkcode createReferenceComposer}. */
export interface ReferenceComposerOptions {
  /** The initial panels; the first is the internal one. Default: one of 1920 × 1080 at 60 Hz. */
  readonly panels?: readonly PanelOptions[];
  /** The planes of each panel that has no `planes` of its own. Default `fourPlane()`. */
  readonly planes?: PlaneModel;
  /** The strategy for the planes. Default `leastGpuWork()`. */
  readonly strategy?: PlaneStrategy;
  /** The function that draws pictures: the `compose` of a backend. Default: that of `createCpuBackend()`. */
  readonly compositor?: Compositor;
  /** The composer's clock. Default `systemClock()`. */
  readonly clock?: Clock;
  /**
   * Virtual displays: their number (default 4), their largest size (default 4096 × 4096), and their planes (default
   * `blitter()`).
   */
  readonly virtualDisplays?: {
    readonly count?: number;
    readonly maxWidth?: number;
    readonly maxHeight?: number;
    readonly planes?: PlaneModel;
  };
  /** Whether frames with small changes need no validation. Default `true`. */
  readonly skipValidate?: boolean;
  /** Whether the composer shows sideband streams. Default `true`. */
  readonly sideband?: boolean;
  /** Milliseconds without a frame before a panel's layers are flattened; 0 means never. Default 1000. */
  readonly flattenAfter?: number;
  /** Milliseconds before the composer stops waiting for a fence. Default 3000. */
  readonly fenceTimeout?: number;
  /** Maximum number of layers of a display. Default 512. */
  readonly maxLayers?: number;
  /** The keys of setLayerGenericMetadata. Default: one key, `com.pumice.note`. */
  readonly genericMetadataKeys?: readonly { readonly key: string; readonly mandatory: boolean }[];
  /** Presents a frame whose changes were not accepted, as many devices do. Default `false`: throws NOT_VALIDATED. */
  readonly lenientPresent?: boolean;
  /** The initial configs of panels. Default: none. */
  readonly bootConfigs?: BootConfigs;
}

/**
 * Draws layers, lowest z first, into a buffer; the pixels are complete when the function returns. The `compose` of a
 * backend.
 */
export type Compositor = (
  target: GraphicBuffer,
  layers: readonly ComposeLayer[],
  options: ComposeOptions,
) => unknown;

const PLANES = object("a plane model, such as fourPlane()");
const STRATEGY = object("a strategy, such as leastGpuWork()");

const COMPOSER: OptionRules<ReferenceComposerOptions> = {
  panels: list("a list of panels", object("an object that describes a panel")),
  planes: PLANES,
  strategy: STRATEGY,
  compositor: typed("a function, such as the `compose` of a backend", "function"),
  clock: object("a clock, such as systemClock()"),
  virtualDisplays: object("an object of count, maxWidth, maxHeight and planes"),
  skipValidate: yesOrNo,
  sideband: yesOrNo,
  flattenAfter: number,
  fenceTimeout: number,
  maxLayers: number,
  genericMetadataKeys: list("a list of keys", object("an object of key and mandatory")),
  lenientPresent: yesOrNo,
  bootConfigs: object("a Map"),
};

const VIRTUAL: OptionRules<NonNullable<ReferenceComposerOptions["virtualDisplays"]>> = {
  count: number,
  maxWidth: number,
  maxHeight: number,
  planes: PLANES,
};

const PANEL: OptionRules<PanelOptions> = {
  connection: typed('"internal" or "external"', "string"),
  name: text("a name"),
  connector: number,
  modes: list("a list of modes", object("an object of width, height and refreshRate")),
  edid: (value) => value === null || value instanceof Uint8Array ? undefined : "a Uint8Array, or null for none",
  colorModes: object("an object of render intents by colour mode"),
  hdr: object("an object of types and luminances"),
  doze: yesOrNo,
  brightness: yesOrNo,
  contentTypes: list("a list of CONTENT_TYPE values", number),
  autoLowLatency: yesOrNo,
  hdcp: oneOf(...Object.values(HDCP_LEVEL)),
  readback: yesOrNo,
  contentSampling: yesOrNo,
  orientation: number,
  refreshToSwitch: yesOrNo,
  planes: PLANES,
  strategy: STRATEGY,
};

const MODE: OptionRules<PanelMode> = {
  width: number,
  height: number,
  refreshRate: number,
  group: number,
  dpi: object("an object of x and y"),
};

/** Checks what `createReferenceComposer` was told. Throws a `TypeError` about the first option that makes no sense. */
export function checkComposerOptions(options: ReferenceComposerOptions): void {
  checkOptions("createReferenceComposer()", options, COMPOSER);
  if (options.virtualDisplays) checkOptions("virtualDisplays", options.virtualDisplays, VIRTUAL);
}

/** The same for a panel. */
export function checkPanelOptions(options: PanelOptions): void {
  checkOptions("a panel", options, PANEL);
  for (const mode of options.modes ?? []) checkOptions("a panel's mode", mode, MODE);
}
