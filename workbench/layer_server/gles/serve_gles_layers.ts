import type { ServedLayers, ServingOptions } from "../served.ts";
import type { ForeignThreadPolicy } from "../../../loader/layer.ts";
import type { GlesCommands, GlesLayer } from "../../../egl/layers/gles_layer.ts";

/** The options of {@linkcode serveGlesLayers}. */
export interface ServeGlesLayersOptions extends ServingOptions {
  /** The layers, from the program to the driver. */
  readonly layers: readonly GlesLayer[];
  /**
   * The treatment of calls of commands that layers hook, for all commands or by command. `"block"`, the default: the
   * call waits for its hooks. `"record"`: the call goes on at once, no hook runs, and the layers' `recorded` hears of
   * it later. `"skip"`: the call goes on at once.
   */
  readonly policies?: ForeignThreadPolicy | { readonly [Name in keyof GlesCommands]?: ForeignThreadPolicy };
}

/** GLES layers that programs can load. */
export interface GlesLayerServer extends ServedLayers<GlesLayer> {
  /** The path of the native layer: for Android's layer folders and settings, or for `layers` of `loadEgl`. */
  readonly library: string;
  /**
   * Returns the environment variables with which a program of this machine finds
   * the layers in the place of libEGL and the libraries of OpenGL ES. By default,
   * on top of this process's own; `Deno.Command` hands on all others by itself.
   * Throws a `TypeError` without a libEGL.so.1 in one of the usual folders, or if
   * programs run on another processor.
   */
  environment(own?: Readonly<Record<string, string>>): Record<string, string>;
}

/**
 * Lets GLES layers answer the calls of other processes. A program whose EGL loader takes Android's GLES layers loads the
 * native library that this function writes. Any other program of this machine finds the library in the place of libEGL
 * and the libraries of OpenGL ES, by the variables of `environment()`. Hooks run in this isolate, one at a time, while
 * the calling thread of the program waits; `next` runs on that thread, where its context is current. Addresses are those
 * of the program: `this.read` and `this.readString` read there. This process runs on Linux on x86-64; with `listen`,
 * programs may run elsewhere. An isolate serves layers of one interface at a time.
 *
 * @throws {TypeError} for a wrong option, and if this isolate serves layers already.
 *
 * @example Count the draws of a program
 * ```ts ignore
 * import { defineGlesLayer } from "@pumice/gfx/egl";
 * import { serveGlesLayers } from "@pumice/gfx/gles-layers";
 *
 * let draws = 0;
 * const counter = defineGlesLayer({
 *   name: "counter",
 *   commands: {
 *     glDrawArrays(next, ...args) {
 *       draws++;
 *       next(...args);
 *     },
 *   },
 * });
 * await using server = await serveGlesLayers({ layers: [counter] });
 * await new Deno.Command("es2gears_x11", { env: server.environment() }).spawn().status;
 * console.log(draws);
 * ```
 */
export async function serveGlesLayers(options: ServeGlesLayersOptions): Promise<GlesLayerServer> {
  return await (await import("./gles_kind.ts")).serving(options);
}
