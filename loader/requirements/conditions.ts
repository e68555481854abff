import { type AndroidRelease, NEWEST_RELEASE } from "../driver/android/release.ts";
import type { DeqpLevel } from "./deqp_level.ts";

/** What the check is told of the phone around the driver. */
export interface DeviceConditions {
  /**
   * The Android release that the device runs, 7 to 17: the rules of this release hold, and the loader is that of this
   * release, or of 14 for an older one. Default: 17.
   */
  readonly release?: number;
  /**
   * The Android release that the device launched with, 7 to `release`. Devices that launched with an older release and
   * were updated are excused from some rules. Default: `release`.
   */
  readonly launch?: number;
  /** Whether it has a 64-bit ABI. Default: true. */
  readonly is64Bit?: boolean;
  /** Whether it counts as low on memory (`ActivityManager.isLowRamDevice`). Default: false. */
  readonly lowMemory?: boolean;
  /** The OpenGL ES version that the same GPU has, such as `[3, 2]`: Vulkan's loader cannot ask. */
  readonly glesVersion?: readonly [major: number, minor: number];
  /** The level that `android.software.vulkan.deqp.level` claims, as a date such as `"2024-03-01"` or as its number. */
  readonly deqpLevel?: DeqpLevel;
  /** Values that system features claim; each is compared with what the driver earned. */
  readonly claims?: FeatureClaims;
  /**
   * Whether the driver is judged as CTS judges one whose devices are all CPUs, of which it asks less. Default
   * `"auto"`: by VkPhysicalDeviceType.
   */
  readonly kind?: "auto" | "gpu" | "cpu";
}

/** Values of system features; -1 for one that is not declared. */
export interface FeatureClaims {
  /** `android.hardware.vulkan.level` */
  readonly level?: number;
  /** `android.hardware.vulkan.version` */
  readonly version?: number;
  /** `android.hardware.vulkan.compute` */
  readonly compute?: number;
}

/** The conditions, with what was left out filled in. */
export interface Conditions extends Omit<DeviceConditions, "kind" | "deqpLevel"> {
  readonly release: number;
  readonly launch: number;
  readonly is64Bit: boolean;
  readonly lowMemory: boolean;
  readonly kind: "auto" | "gpu" | "cpu";
  /** The claimed level as its number. */
  readonly deqpLevel: number | undefined;
}

/** The first and the last release there are rules for. */
export const RELEASES: readonly [first: number, last: number] = [7, NEWEST_RELEASE];
/** The first release whose loader there is. */
const FIRST_LOADER = 14;

/** Refuses a release that there are no rules for. */
export function checkRelease(name: string, release: number): number {
  const [first, last] = RELEASES;
  if (Number.isInteger(release) && release >= first && release <= last) return release;
  throw new TypeError(`Cannot check for ${name} ${release}: give an Android release from ${first} to ${last}`);
}

/** The loader of a release, or the oldest loader that there is. */
export function loaderRelease(release: number): AndroidRelease {
  return Math.max(release, FIRST_LOADER) as AndroidRelease;
}
