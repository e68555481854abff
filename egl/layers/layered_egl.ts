import type { Egl } from "../api/egl.ts";
import type { EglOptions } from "../api/options.ts";
import type { EglScope } from "../api/scope.ts";
import type { GlesLayer } from "./gles_layer.ts";
import { type GlesLayerOptions, type InstalledLayers, installLayers } from "./install.ts";

/** A loader with layers. */
export interface LayeredEgl extends Egl {
  /** The active layers, the first one closest to the application; native layers by their paths. */
  readonly layers: (GlesLayer | string)[];
  /**
   * Adds a TypeScript layer, closest to the application, from the next command on. A function that was taken from the
   * object before, such as `const { glClear } = egl.gl`, bypasses the layer.
   */
  attach(layer: GlesLayer): void;
  /** Removes a TypeScript layer. Throws a `TypeError` if the layer is not attached. */
  detach(layer: GlesLayer): void;
}

/** Settings of the loader and its layers for `loadEgl`. */
export interface LayeredEglOptions extends EglOptions, GlesLayerOptions {}

/** Puts layers on top of a loader. Throws a `DriverError` for one that is listed and cannot be used. */
export function layered(scope: EglScope, options: GlesLayerOptions): LayeredEgl {
  return withLayers(scope.egl, installLayers(scope, options));
}

function withLayers(egl: Egl, installed: InstalledLayers): LayeredEgl {
  return Object.defineProperties(egl, {
    layers: { get: () => installed.layers },
    attach: { value: (layer: GlesLayer) => installed.attach(layer) },
    detach: { value: (layer: GlesLayer) => installed.detach(layer) },
  }) as LayeredEgl;
}
