import type { PlaneModel } from "../planes/plane.ts";
import type { PlaneStrategy } from "../planes/strategy.ts";
import type { Clock } from "./time/clock.ts";
import type { Compositor } from "./output/compositor.ts";
import type { PanelOptions } from "./panel/panel.ts";

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
