import { EGL_PLATFORM_ANDROID_KHR, EGL_PLATFORM_SURFACELESS_MESA } from "../gen/egl_constants_gen.js";
import type { UsableDriver } from "./usable_driver.ts";
import type { NativePlatform } from "./options.ts";

/** The enums of EGL_ANGLE_platform_angle and its kin, which ANGLE documents and the registry lacks. */
const ANGLE = { PLATFORM: 0x3202, TYPE: 0x3203, VULKAN: 0x3450, DEVICE: 0x3209, SWIFTSHADER: 0x3487, NATIVE: 0x348F };
/** The attributes that choose SwiftShader without windows. */
const ON_SWIFTSHADER = [
  ...[ANGLE.TYPE, ANGLE.VULKAN],
  ...[ANGLE.DEVICE, ANGLE.SWIFTSHADER],
  ...[ANGLE.NATIVE, EGL_PLATFORM_SURFACELESS_MESA],
];

/** Returns the platforms for the default display, preferred first. */
export function nativePlatforms({ kind }: UsableDriver, wanted: NativePlatform | undefined): NativePlatform[] {
  if (wanted) return [wanted];
  if (Deno.build.os === "android") return [{ platform: EGL_PLATFORM_ANDROID_KHR }];
  return kind === "angle"
    ? [{ platform: ANGLE.PLATFORM, attributes: ON_SWIFTSHADER }]
    : [{ platform: EGL_PLATFORM_SURFACELESS_MESA }];
}
