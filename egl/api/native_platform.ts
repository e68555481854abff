import type { UsableDriver } from "./usable_driver.ts";
import type { NativePlatform } from "./options.ts";

/** Platforms of eglGetPlatformDisplay. */
export const ANDROID = 0x3141, SURFACELESS = 0x31DD, ANGLE = 0x3202;
/** EGL_PLATFORM_ANGLE_TYPE_ANGLE and Vulkan, _DEVICE_TYPE_ANGLE and SwiftShader, _NATIVE_PLATFORM_TYPE_ANGLE. */
const TYPE = 0x3203, VULKAN = 0x3450, DEVICE = 0x3209, SWIFTSHADER = 0x3487, NATIVE = 0x348F;

/** Returns the platforms for the default display, preferred first. */
export function nativePlatforms({ kind }: UsableDriver, wanted: NativePlatform | undefined): NativePlatform[] {
  if (wanted) return [wanted];
  const angle = { platform: ANGLE, attributes: [TYPE, VULKAN, DEVICE, SWIFTSHADER, NATIVE, SURFACELESS] };
  if (Deno.build.os === "android") return [{ platform: ANDROID }];
  return kind === "angle" ? [angle] : [{ platform: SURFACELESS }];
}
