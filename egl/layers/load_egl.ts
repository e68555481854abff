import type { Egl } from "../api/egl.ts";
import { openScope } from "../api/load_egl.ts";
import type { EglOptions } from "../api/options.ts";
import type { GlesLayer } from "./gles_layer.ts";
import { type GlesLayerOptions, type InstalledLayers, installLayers } from "./install.ts";

/** A loader with layers. */
export interface LayeredEgl extends Egl {
  /** The layers in use, the first one closest to the application: native ones by their paths. */
  readonly layers: (GlesLayer | string)[];
  /** Puts a TypeScript layer in, closest to the application, from the next command on. What was taken from the object before, such as `const { glClear } = egl.gl`, goes past it. */
  attach(layer: GlesLayer): void;
  /** Takes a TypeScript layer out. Throws a `TypeError` when it is not there. */
  detach(layer: GlesLayer): void;
}

/** What `loadEgl` can be told. */
export interface LayeredEglOptions extends EglOptions, GlesLayerOptions {}

/**
 * Opens an EGL and OpenGL ES driver, puts Android's loader on top of it, and
 * layers between that and the application.
 * Several loaders with different drivers live side by side; what is current is
 * so for one of them, on the thread of the isolate that opened it.
 *
 * @throws {DriverError} when the driver, or a layer that is listed, cannot be used; the message says what was found and what to do.
 */
export function loadEgl(options: LayeredEglOptions = {}): LayeredEgl {
  const scope = openScope(options);
  try {
    return withLayers(scope.egl, installLayers(scope, options));
  } catch (error) {
    scope.egl.close();
    throw error;
  }
}

function withLayers(egl: Egl, installed: InstalledLayers): LayeredEgl {
  return Object.defineProperties(egl, {
    layers: { get: () => installed.layers },
    attach: { value: (layer: GlesLayer) => installed.attach(layer) },
    detach: { value: (layer: GlesLayer) => installed.detach(layer) },
  }) as LayeredEgl;
}
