/**
 * Layers for EGL and OpenGL ES that are ready to use: trace every call, count
 * and time, find the command that caused an error. Each has the name of the
 * layer of `@pumice/gfx/layers` that does the same for Vulkan, with `gles`
 * before it. Put them in `layers` of `loadEgl`, or attach them to what that
 * returns; `defineGlesLayer` of `@pumice/gfx/egl` makes layers of your own.
 *
 * An entry of its own, so that a script that uses none of them does not pay for
 * them when it starts.
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
} from "./layers/shipped/gles_errors.ts";
export { type GlesApiProfile, glesApiProfile } from "./layers/shipped/gles_api_profile.ts";
export {
  type GlesApiTrace,
  glesApiTrace,
  type GlesApiTraceOptions,
  type GlesTraceLine,
  type GlesTraceValue,
} from "./layers/shipped/gles_api_trace.ts";
export type { GlesLayer } from "./layers/gles_layer.ts";
export type { GlConstants } from "./layers/shipped/enum_names.ts";
export type { ProfileRow } from "../loader/layers/shipped/profile/counters.ts";
