import { inFrame } from "../../../ffi/arena.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import type { Driver } from "../../driver/interface/driver.ts";
import { driverProc } from "../../driver/interface/probe.ts";
import { VK_API_VERSION_MINOR, VK_API_VERSION_PATCH, VK_MAKE_API_VERSION } from "../../version.ts";
import type { AndroidRelease } from "../../driver/android/release.ts";

/** Vulkan 1.0, 1.1 and 1.4, packed. */
export const VERSION_1_0: number = VK_MAKE_API_VERSION(0, 1, 0, 0),
  VERSION_1_1: number = VK_MAKE_API_VERSION(0, 1, 1, 0);
const VERSION_1_3 = VK_MAKE_API_VERSION(0, 1, 3, 0), VERSION_1_4 = VK_MAKE_API_VERSION(0, 1, 4, 0);
/** The release that brought 1.4, and the one from which drivers of 1.3 are told 1.3. */
const RELEASE_OF_1_4 = 16, RELEASE_OF_CLAMP = 17;

/** The Vulkan version of a release's loader: the same with every driver, its patch 0. */
export function loaderVersion(release: AndroidRelease): number {
  return release >= RELEASE_OF_1_4 ? VERSION_1_4 : VERSION_1_3;
}

/** The version without its patch; the variant stays. */
export function withoutPatch(version: number): number {
  return (version ^ VK_API_VERSION_PATCH(version)) >>> 0;
}

/** What a driver says of its version, without the patch: 1.0 if it cannot say; a negative VkResult if saying failed. */
export function driverVersion(driver: Driver): number {
  const enumerate = driverProc(driver, 0n, "vkEnumerateInstanceVersion");
  if (enumerate === 0n) return VERSION_1_0;
  return inFrame((memory) => {
    const out = memory.alloc(4);
    const result = invokeAddress(enumerate, "s:q", [memory.address(out)]) as number;
    return result < 0 ? result : withoutPatch(memory.view.getUint32(out, true));
  });
}

/** The apiVersion a driver is told of an application's, which may be more than it takes. */
export function versionForDriver(wanted: number, driver: number, release: AndroidRelease): number {
  if (driver === VERSION_1_0 && wanted >= VERSION_1_1) return VERSION_1_0;
  const clamps = release >= RELEASE_OF_CLAMP && driver === VERSION_1_3 && wanted >= VERSION_1_4;
  return clamps ? driver : wanted;
}

/** The names of the core versions up to one, as the registry has them. */
export function coreVersions(version: number): string[] {
  return Array.from({ length: VK_API_VERSION_MINOR(version) + 1 }, (_, minor) => `VK_VERSION_1_${minor}`);
}

/**
 * The core versions that a device has: the lesser of its own and the loader's.
 * AOSP compares with the versions it knows, so one with a variant is none of
 * them; `undefined` then, under its quirks.
 */
export function deviceVersions(apiVersion: number, loader: number, quirks?: "aosp"): string[] | undefined {
  const own = withoutPatch(apiVersion), variant = own >>> 29;
  if (variant !== 0 && quirks === "aosp") return undefined;
  return coreVersions(Math.min(own & 0x1fff_ffff, loader));
}
