import { inFrame } from "../../../ffi/arena.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import type { Driver } from "../../driver/interface/driver.ts";
import { driverProc } from "../../driver/interface/probe.ts";
import { VK_API_VERSION_MINOR, VK_API_VERSION_PATCH, VK_MAKE_API_VERSION } from "../../version.ts";
import type { AndroidRelease } from "../../driver/android/options.ts";

/** Vulkan 1.0, 1.1 and 1.4, packed. */
export const VERSION_1_0: number = VK_MAKE_API_VERSION(0, 1, 0, 0),
  VERSION_1_1: number = VK_MAKE_API_VERSION(0, 1, 1, 0);
const VERSION_1_3 = VK_MAKE_API_VERSION(0, 1, 3, 0), VERSION_1_4 = VK_MAKE_API_VERSION(0, 1, 4, 0);
/** The release that introduced 1.4, and the first release that tells drivers of 1.3 about 1.3. */
const RELEASE_OF_1_4 = 16, RELEASE_OF_CLAMP = 17;

/** Returns the Vulkan version of a release's loader: the same with every driver, with patch 0. */
export function loaderVersion(release: AndroidRelease): number {
  return release >= RELEASE_OF_1_4 ? VERSION_1_4 : VERSION_1_3;
}

/** Returns the version with patch 0 and the same variant. */
export function withoutPatch(version: number): number {
  return (version ^ VK_API_VERSION_PATCH(version)) >>> 0;
}

/**
 * Returns a driver's version without the patch: 1.0 if the driver has no query,
 * a negative VkResult if the query failed.
 */
export function driverVersion(driver: Driver): number {
  const enumerate = driverProc(driver, 0n, "vkEnumerateInstanceVersion");
  if (enumerate === 0n) return VERSION_1_0;
  return inFrame((memory) => {
    const out = memory.alloc(4);
    const result = invokeAddress(enumerate, "s:q", [memory.address(out)]) as number;
    return result < 0 ? result : withoutPatch(memory.view.getUint32(out, true));
  });
}

/** Returns the apiVersion that a driver gets for an application's, which may be higher than the driver supports. */
export function versionForDriver(wanted: number, driver: number, release: AndroidRelease): number {
  if (driver === VERSION_1_0 && wanted >= VERSION_1_1) return VERSION_1_0;
  const clamps = release >= RELEASE_OF_CLAMP && driver === VERSION_1_3 && wanted >= VERSION_1_4;
  return clamps ? driver : wanted;
}

/** Returns the names of the core versions up to a version, as the registry has them. */
export function coreVersions(version: number): string[] {
  return Array.from({ length: VK_API_VERSION_MINOR(version) + 1 }, (_, minor) => `VK_VERSION_1_${minor}`);
}

/**
 * Returns the core versions that a device has: up to the lower of its own
 * version and the loader's. AOSP compares with the versions that it knows, so a
 * version with a variant equals none of them. With AOSP's quirks, the result is
 * `undefined` then.
 */
export function deviceVersions(apiVersion: number, loader: number, quirks?: "aosp"): string[] | undefined {
  const own = withoutPatch(apiVersion), variant = own >>> 29;
  if (variant !== 0 && quirks === "aosp") return undefined;
  return coreVersions(Math.min(own & 0x1fff_ffff, loader));
}
