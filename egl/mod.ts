/**
 * EGL and OpenGL ES. So far: finding and opening a driver by the rules of
 * Android's loader, or of libglvnd on Linux, and Android's cache of what drivers
 * compile.
 *
 * @module
 */
export { type DriverNames, driverNames, type DriverProperties, type DriverRules } from "./driver/driver_names.ts";
export type { EglApi, EglDriver, EglDriverKind } from "./driver/egl_driver.ts";
export type { AndroidEglSource } from "./driver/android_search.ts";
export { type EglDriverSource, type EglSelection, findEglDriver } from "./driver/find.ts";
export type { EglDriverOptions, WantedEglDriver } from "./driver/options.ts";
export type { BlobCache, BlobCacheCounts, BlobCacheLimits, BlobCacheMode } from "./cache/blob_cache.ts";
export { type BlobCacheInstallation, installBlobCache, type InstalledBlobCache } from "./cache/install.ts";
export { type BlobCacheOptions, openBlobCache } from "./cache/open.ts";
