import { WEB_VIEWER_RULES, type WebViewerOptions } from "../../wsi/web/web_viewer.ts";
import { list, object, type OptionRules } from "../../ffi/check_options.ts";
import type { SurfaceFlinger } from "../flinger/surface_flinger.ts";
import type { PlaneModel } from "../planes/plane.ts";
import type { PlaneStrategy } from "../planes/strategy.ts";
import type { PanelOptions } from "../core/panel/panel.ts";
import type { ReferenceComposer } from "../core/controls.ts";
import type { SteppingClock } from "../core/time/stepping_clock.ts";

/** Settings of {@linkcode composerViewer}. */
export interface ComposerViewerOptions extends WebViewerOptions {
  /** The composer to show; the caller keeps and closes it. */
  readonly composer: ReferenceComposer;
  /** The composer's client; the caller keeps and closes it. */
  readonly flinger: SurfaceFlinger;
  /** The composer's clock, which pages can pause and step. Default: pages cannot stop time. */
  readonly clock?: SteppingClock;
  /** External panels that pages can plug in, each any number of times. Default: one of 1280 × 720 at 60 Hz. */
  readonly panels?: readonly PanelOptions[];
  /** Strategies that pages can choose, in addition to the current one. Default: those of this package. */
  readonly strategies?: readonly PlaneStrategy[];
  /**
   * Plane models that pages can choose, in addition to the current ones. Default: the models of this package except the
   * blitter.
   */
  readonly models?: readonly PlaneModel[];
}

/** The options of a viewer, with the values that fit. */
export const COMPOSER_VIEWER_RULES: OptionRules<ComposerViewerOptions> = {
  ...WEB_VIEWER_RULES,
  composer: object("a composer of createReferenceComposer()"),
  flinger: object("a SurfaceFlinger"),
  clock: object("a SteppingClock"),
  panels: list("a list of panels", object("an object that describes a panel")),
  strategies: list("a list of strategies", object("a strategy")),
  models: list("a list of plane models", object("a plane model")),
};
