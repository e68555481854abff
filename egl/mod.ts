/**
 * EGL and OpenGL ES: Android's loader over any driver. `loadEgl()` returns an
 * object whose methods are the commands of EGL by their C names; its member `gl`
 * has the commands of OpenGL ES. This entry has EGL's constants;
 * `@pumice/gfx/gl` has those of OpenGL ES. Window surfaces draw to windows of
 * `@pumice/gfx/wsi`.
 *
 * `findEglDriver()` finds and opens a driver by the rules of Android's loader,
 * or of libglvnd on Linux. `defineGlesLayer()` defines a layer;
 * `@pumice/gfx/gles-layers` has layers that are ready to use. `openBlobCache()`
 * opens Android's cache of compiled programs.
 *
 * @example The name of the OpenGL ES driver
 * ```ts ignore
 * import * as egl from "@pumice/gfx/egl";
 * import { GL_RENDERER } from "@pumice/gfx/gl";
 *
 * using loader = egl.loadEgl();
 * const display = loader.eglGetDisplay(0n);
 * loader.eglInitialize(display);
 * const [config] = loader.eglChooseConfig(display, { [egl.EGL_SURFACE_TYPE]: egl.EGL_PBUFFER_BIT });
 * const surface = loader.eglCreatePbufferSurface(display, config, { [egl.EGL_WIDTH]: 16, [egl.EGL_HEIGHT]: 16 });
 * const context = loader.eglCreateContext(display, config, egl.EGL_NO_CONTEXT, { [egl.EGL_CONTEXT_MAJOR_VERSION]: 2 });
 * loader.eglMakeCurrent(display, surface, surface, context);
 * console.log(loader.gl.glGetString(GL_RENDERER));
 * ```
 *
 * @module
 */
export { type DriverNames, driverNames, type DriverProperties, type EglRelease } from "./driver/driver_names.ts";
export type { EglApi, EglDriver, EglDriverKind } from "./driver/egl_driver.ts";
export type { AndroidEglSource } from "./driver/android_search.ts";
export { type EglDriverSource, type EglSelection, findEglDriver } from "./driver/find.ts";
export type { EglDriverOptions, WantedEglDriver } from "./driver/options.ts";
export type { BlobCache, BlobCacheCounts, BlobCacheLimits, BlobCacheMode } from "./cache/blob_cache.ts";
export { type BlobCacheInstallation, installBlobCache, type InstalledBlobCache } from "./cache/install.ts";
export { type BlobCacheOptions, openBlobCache } from "./cache/open.ts";
export { loadEgl, type LoadEglOptions } from "./load_egl.ts";
export type { GlesLayerOptions, LayeredEgl, LayeredEglOptions } from "./layers/install.ts";
export {
  type AnyGlesHook,
  defineGlesLayer,
  type GlesCommands,
  type GlesForeignCall,
  type GlesHook,
  type GlesLayer,
  type GlesLayerContext,
} from "./layers/gles_layer.ts";
export type { ForeignThreadPolicy, LayerControls, LayerPlace } from "../loader/layer.ts";
export type { AndroidCommands, Egl, Gl, InstalledEgl } from "./api/egl.ts";
export type { EglWindows, NativeWindowType, WindowedEgl } from "./window/install.ts";
export { explainText } from "../loader/driver/report/finding.ts";
export type { Finding, FindingSubject } from "../loader/driver/report/finding.ts";
export type { EglOptions, NativePlatform, UsableDriver } from "./api/options.ts";
export type { EntrySource } from "./dispatch/fill.ts";
export type { CommandApi } from "./dispatch/names.ts";
export { type EglConfigInfo, type EglInfo, eglInfo, type EglStrings, type GlesInfo } from "./info/egl_info.ts";
export type { GlLimits } from "./info/limits.ts";
export { eglLinkStubs } from "./install/install.ts";
export { EglError, eglErrorName } from "./error.ts";
export type { EglCommands, EglRawCommands } from "./gen/egl_commands_gen.ts";
export type { GlCommands, GlRawCommands } from "./gen/gl_commands_gen.ts";
export type * from "./command/types.ts";
export * from "./gen/egl_constants_gen.js";
export { GraphicsError, type GraphicsErrorParts } from "../ffi/error.ts";
