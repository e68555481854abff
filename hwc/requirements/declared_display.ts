import type { DeviceDeclarations } from "../../loader/requirements/device_tree.ts";
import { COLOR_MODE } from "../device_types.ts";
import type { ComposerReport } from "./check_composer.ts";

/** Colour modes with more colours than sRGB. */
const WIDE: readonly number[] = [
  COLOR_MODE.DCI_P3,
  COLOR_MODE.ADOBE_RGB,
  COLOR_MODE.DISPLAY_P3,
  COLOR_MODE.BT2020,
  COLOR_MODE.BT2100_PQ,
  COLOR_MODE.BT2100_HLG,
  COLOR_MODE.DISPLAY_BT2020,
];

/**
 * Returns the properties with which a device tree tells SurfaceFlinger whether a composer's first display has wide
 * colours and HDR.
 *
 * @example
 * ```ts ignore
 * import { checkComposer, declaredDisplay } from "@pumice/gfx/check";
 * import { assertEquals } from "@std/assert";
 * import { createReferenceComposer } from "@pumice/gfx/hwc";
 *
 * const report = await checkComposer(createReferenceComposer());
 * console.log(declaredDisplay(report).properties);
 * ```
 */
export function declaredDisplay({ colorModes, hdrTypes }: ComposerReport): DeviceDeclarations {
  const properties = {
    "ro.surface_flinger.has_wide_color_display": `${colorModes.some((mode) => WIDE.includes(mode))}`,
    "ro.surface_flinger.has_HDR_display": `${hdrTypes.length > 0}`,
  };
  return { features: [], withheld: [], properties };
}
