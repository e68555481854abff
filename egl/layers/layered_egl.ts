import { withControls } from "../../loader/layers/hooks/places.ts";
import type { LayerControls } from "../../loader/layer.ts";
import type { Egl } from "../api/egl.ts";
import type { EglOptions } from "../api/options.ts";
import type { EglScope } from "../api/scope.ts";
import type { GlesLayer } from "./gles_layer.ts";
import { type GlesLayerOptions, installLayers } from "./install.ts";

/**
 * A loader with layers. A function that was taken from the object before a
 * layer was attached, such as `const { glClear } = egl.gl`, bypasses the layer.
 */
export interface LayeredEgl extends Egl, LayerControls<GlesLayer> {
  /** The active layers, the first one closest to the application; native layers by their paths. */
  readonly layers: (GlesLayer | string)[];
}

/** Settings of the loader and its layers for `loadEgl`. */
export interface LayeredEglOptions extends EglOptions, GlesLayerOptions {}

/** Attaches layers to a loader. Throws a `DriverError` for a listed layer that cannot be used. */
export function layered(scope: EglScope, options: GlesLayerOptions): LayeredEgl {
  const live = installLayers(scope, options);
  return withControls(Object.defineProperty(scope.egl, "layers", { get: () => live.layers }), live) as LayeredEgl;
}
