import { type AndroidRelease, NEWEST_RELEASE } from "../../loader/driver/android/options.ts";

/** The libraries of one EGL driver: one binary for all APIs, or one library for each API. */
export type DriverNames = readonly [all: string] | readonly [egl: string, gles1: string, gles2: string];

/** The system properties that the EGL loader reads; an empty or absent property counts as not set. */
export interface DriverProperties {
  /** `persist.graphics.egl`: the user's choice, on Android versions with this property. */
  readonly "persist.graphics.egl"?: string;
  /** `ro.hardware.egl`: the device's property. */
  readonly "ro.hardware.egl"?: string;
  /** `ro.board.platform`: the system on chip. */
  readonly "ro.board.platform"?: string;
}

/**
 * An Android release whose search for EGL drivers is followed: 10, or a release that searches as Android does since the
 * middle of 2023.
 */
export type EglRelease = 10 | AndroidRelease;

/**
 * Returns the library names that Android's EGL loader tries, in order, in each driver folder. Today only the first
 * property that is set is used; release 10 tried ro.hardware.egl and then ro.board.platform. Names without a suffix are
 * last.
 *
 * @example
 * ```ts
 * import { driverNames } from "@pumice/gfx/egl";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(driverNames({ "ro.hardware.egl": "mali" }), [
 *   ["libGLES_mali.so"],
 *   ["libEGL_mali.so", "libGLESv1_CM_mali.so", "libGLESv2_mali.so"],
 *   ["libGLES.so"],
 *   ["libEGL.so", "libGLESv1_CM.so", "libGLESv2.so"],
 * ]);
 * ```
 */
export function driverNames(properties: DriverProperties, release: EglRelease = NEWEST_RELEASE): DriverNames[] {
  return [...suffixes(properties, release).map((value) => `_${value}`), ""].flatMap(namesWith);
}

/** The properties that name a driver, in the order in which they count. */
export function namingProperties(release: EglRelease): readonly (keyof DriverProperties)[] {
  return [...release === 10 ? [] : ["persist.graphics.egl"] as const, "ro.hardware.egl", "ro.board.platform"];
}

/** The values of the properties that count. */
function suffixes(properties: DriverProperties, release: EglRelease): string[] {
  const set = namingProperties(release).map((name) => properties[name] ?? "").filter((value) => value !== "");
  return release === 10 ? [...new Set(set)] : set.slice(0, 1);
}

function namesWith(suffix: string): DriverNames[] {
  return [
    [`libGLES${suffix}.so`],
    [`libEGL${suffix}.so`, `libGLESv1_CM${suffix}.so`, `libGLESv2${suffix}.so`],
  ];
}
