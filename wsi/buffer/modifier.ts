/**
 * DRM format modifiers: how the pixels of a buffer lie in its memory. The numbers are those of `drm_fourcc.h`; the top
 * byte names a vendor.
 */
export const MODIFIER = {
  /** Rows of pixels, one after the other. */
  LINEAR: 0n,
  /** A layout that only the driver knows which made the buffer (implicit). */
  INVALID: 0x00ff_ffff_ffff_ffffn,
  /** Intel's X tiles: 512 bytes by 8 rows. */
  I915_X_TILED: 0x0100_0000_0000_0001n,
  /** Intel's Y tiles: 128 bytes by 32 rows, in columns of 16 bytes. */
  I915_Y_TILED: 0x0100_0000_0000_0002n,
} as const;

const NAMES: ReadonlyMap<bigint, string> = new Map([
  [MODIFIER.LINEAR, "linear rows"],
  [MODIFIER.INVALID, "a layout that only its driver knows"],
  [MODIFIER.I915_X_TILED, "Intel's X tiles"],
  [MODIFIER.I915_Y_TILED, "Intel's Y tiles"],
]);
/** The vendors by the top byte. */
const VENDORS: readonly string[] =
  "no vendor,Intel,AMD,NVIDIA,Samsung,Qualcomm,Vivante,Broadcom,Arm,Allwinner,Amlogic,MediaTek,Apple".split(",");
const VENDOR_SHIFT = 56n;

/**
 * Returns a modifier in words, for messages.
 *
 * @example
 * ```ts
 * import { MODIFIER, modifierName } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(modifierName(MODIFIER.I915_X_TILED), "Intel's X tiles");
 * assertEquals(modifierName(0x0300_0000_0060_6010n), "NVIDIA's layout 0x300000000606010");
 * ```
 */
export function modifierName(modifier: bigint): string {
  const vendor = VENDORS[Number(modifier >> VENDOR_SHIFT)] ?? `vendor ${modifier >> VENDOR_SHIFT}`;
  return NAMES.get(modifier) ?? `${vendor}'s layout 0x${modifier.toString(16)}`;
}
