import type { PlaneModel } from "../planes/plane.ts";
import type { PlaneStrategy } from "../planes/strategy.ts";
import type { Clock } from "./clock.ts";
import type { Compositor } from "./compositor.ts";
import type { PanelOptions } from "./panel.ts";

/** Configs to begin with, by the port of a panel: kept by whoever gives them over the life of several composers. */
export type BootConfigs = Map<number, number>;

/** Settings of {@linkcode createReferenceComposer}. */
export interface ReferenceComposerOptions {
  /** The panels that are there from the start; the first is the internal one. Default: one of 1920 × 1080 at 60 Hz. */
  readonly panels?: readonly PanelOptions[];
  /** The planes behind each panel, unless it says otherwise. Default `fourPlane()`. */
  readonly planes?: PlaneModel;
  /** How they are used. Default `leastGpuWork()`. */
  readonly strategy?: PlaneStrategy;
  /** What puts pixels together: the `compose` of a backend. Default: that of `createCpuBackend()`. */
  readonly compositor?: Compositor;
  /** Time. Default `systemClock()`. */
  readonly clock?: Clock;
  /** Virtual displays: how many (default 4), how large (default 4096 × 4096), by which planes (default `blitterPlane()`). */
  readonly virtualDisplays?: {
    readonly count?: number;
    readonly maxWidth?: number;
    readonly maxHeight?: number;
    readonly planes?: PlaneModel;
  };
  /** Whether it says that frames need no validation when little changed. Default `true`. */
  readonly skipValidate?: boolean;
  /** Whether it shows sideband streams. Default `true`. */
  readonly sideband?: boolean;
  /** After how many milliseconds without a frame a panel's layers are flattened; 0 for never. Default 1000. */
  readonly flattenAfter?: number;
  /** After how many milliseconds a fence that does not signal is given up. Default 3000. */
  readonly fenceTimeout?: number;
  /** How many layers a display may have. Default 512. */
  readonly maxLayers?: number;
  /** Keys of setLayerGenericMetadata. Default one, `com.pumice.note`. */
  readonly genericMetadataKeys?: readonly { readonly key: string; readonly mandatory: boolean }[];
  /** Presents with changes that nobody accepted, as many devices do. Default `false`: NOT_VALIDATED. */
  readonly lenientPresent?: boolean;
  /** The configs that panels start with. Default: none are known. */
  readonly bootConfigs?: BootConfigs;
}
