/**
 * Layers for EGL and OpenGL ES that are ready to use: trace every call, count
 * and time calls, find the command that caused an error. Each layer has the name
 * of the Vulkan layer in `@pumice/gfx/layers` that does the same, with `gles`
 * before it. Put the layers in `layers` of `loadEgl`, or attach them to its
 * result; `defineGlesLayer` of `@pumice/gfx/egl` defines a layer of your own.
 *
 * The layers have an entry of their own, so that other scripts do not load them.
 *
 * @example A trace of every call
 * ```ts ignore
 * import { loadEgl } from "@pumice/gfx/egl";
 * import { glesApiTrace } from "@pumice/gfx/gles-layers";
 *
 * using trace = glesApiTrace({ path: "calls.jsonl" });
 * using egl = loadEgl({ layers: [trace.layer] });
 * ```
 *
 * @module
 */
export {
  type GlesErrorReport,
  type GlesErrors,
  glesErrors,
  type GlesErrorsOptions,
} from "../egl/layers/shipped/gles_errors.ts";
export { type GlesApiProfile, glesApiProfile } from "../egl/layers/shipped/gles_api_profile.ts";
export {
  type GlConstants,
  type GlesApiTrace,
  glesApiTrace,
  type GlesApiTraceOptions,
  type GlesTraceLine,
  type GlesTraceValue,
} from "../egl/layers/shipped/gles_api_trace.ts";
export type { GlesLayer } from "../egl/layers/gles_layer.ts";
export type { ProfileRow } from "../loader/layers/shipped/profile/counters.ts";
export {
  type GlesLayerServer,
  serveGlesLayers,
  type ServeGlesLayersOptions,
} from "./layer_server/gles/serve_gles_layers.ts";
export type { ServedLayers, ServingOptions } from "./layer_server/served.ts";
export { type GlesDeviceTwin, glesDeviceTwin, type GlesDeviceTwinOptions } from "../egl/twin/gles_device_twin.ts";
export type { EglConfigInfo, EglInfo, EglStrings, GlesInfo } from "../egl/info/egl_info.ts";
export type { GlLimits } from "../egl/info/limits.ts";
