import { type AndroidRelease, NEWEST_RELEASE } from "../driver/android/options.ts";
import type { DeqpLevel } from "./deqp_level.ts";

/** The facts about the phone around the driver. */
export interface DeviceConditions {
  /**
   * The Android release of the device, 7 to 17. Its rules apply, and its loader
   * is used, or that of 14 for an older release. Default 17.
   */
  readonly release?: number;
  /**
   * The Android release that the device launched with, 7 to `release`. Devices
   * that launched with an older release and were updated are exempt from some
   * rules. Default: `release`.
   */
  readonly launch?: number;
  /** Whether the device has a 64-bit ABI. Default: true. */
  readonly is64Bit?: boolean;
  /** Whether the device counts as low on memory (`ActivityManager.isLowRamDevice`). Default: false. */
  readonly lowMemory?: boolean;
  /** The OpenGL ES version of the same GPU, such as `[3, 2]`, which Vulkan's loader cannot query. */
  readonly glesVersion?: readonly [major: number, minor: number];
  /** The level that `android.software.vulkan.deqp.level` claims, as a date such as `"2024-03-01"` or as its number. */
  readonly deqpLevel?: DeqpLevel;
  /** The claimed values of system features. Each is compared with what the driver earned. */
  readonly claims?: FeatureClaims;
  /**
   * Whether to judge the driver as CTS judges a driver whose devices are all
   * CPUs, which has fewer requirements. Default `"auto"`: by
   * VkPhysicalDeviceType.
   */
  readonly deviceType?: "auto" | "gpu" | "cpu";
}

/** Values of system features; -1 for a feature that is not declared. */
export interface FeatureClaims {
  /** `android.hardware.vulkan.level` */
  readonly level?: number;
  /** `android.hardware.vulkan.version` */
  readonly version?: number;
  /** `android.hardware.vulkan.compute` */
  readonly compute?: number;
}

/** The conditions, with defaults filled in. */
export interface Conditions extends Omit<DeviceConditions, "deviceType" | "deqpLevel"> {
  readonly release: number;
  readonly launch: number;
  readonly is64Bit: boolean;
  readonly lowMemory: boolean;
  readonly deviceType: "auto" | "gpu" | "cpu";
  /** The claimed level as its number. */
  readonly deqpLevel: number | undefined;
}

/** The first and the last release that have rules. */
export const RELEASES: readonly [first: number, last: number] = [7, NEWEST_RELEASE];
/** The time that a driver may take for each trial, in milliseconds. */
export const DEFAULT_TIMEOUT = 10_000;
/** The first release that has a loader here. */
const FIRST_LOADER = 14;

/** Refuses a release without rules. */
export function checkRelease(name: string, release: number): number {
  const [first, last] = RELEASES;
  if (Number.isInteger(release) && release >= first && release <= last) return release;
  throw new TypeError(`Cannot check for ${name} ${release}: give an Android release from ${first} to ${last}`);
}

/** Returns the loader of a release, or the oldest loader. */
export function loaderRelease(release: number): AndroidRelease {
  return Math.max(release, FIRST_LOADER) as AndroidRelease;
}
