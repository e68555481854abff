import { decodeDeqpLevel, type DeqpLevel, encodeDeqpLevel } from "../../loader/requirements/deqp_level.ts";
import type { DeclaredFeature, DeviceDeclarations } from "../../loader/requirements/device_tree.ts";
import type { WithheldFeature } from "../../loader/requirements/earned_features.ts";
import type { EglReport } from "./check_egl.ts";

/** FEATURE_OPENGLES_EXTENSION_PACK, and the extension that stands for the whole pack. */
const PACK = "android.hardware.opengles.aep", PACK_EXTENSION = "GL_ANDROID_extension_pack_es31a";
const LEVEL = "android.software.opengles.deqp.level";

/**
 * Returns the features and properties with which a device tree declares an OpenGL ES driver: `ro.opengles.version`, the extension
 * pack if the driver has it, and the claimed dEQP level, which the caller gives because a driver cannot be asked for
 * it.
 *
 * @example
 * ```ts ignore
 * import { checkEgl, declaredGles } from "@pumice/gfx/check";
 *
 * console.log(declaredGles(checkEgl(), "2024-03-01").properties);
 * ```
 */
export function declaredGles({ display, glesVersion, driver }: EglReport, claimed?: DeqpLevel): DeviceDeclarations {
  const features: DeclaredFeature[] = [], withheld: WithheldFeature[] = [];
  const hasPack = display?.context?.extensions.includes(PACK_EXTENSION) ?? false;
  if (hasPack) features.push({ name: PACK, text: "", file: `${PACK}.xml`, installed: `${PACK}.xml` });
  else withheld.push({ name: PACK, reason: `no context has ${PACK_EXTENSION}` });
  if (claimed === undefined) withheld.push({ name: LEVEL, reason: "no level is claimed" });
  else features.push(levelFeature(encodeDeqpLevel(claimed)));
  const name = /\/lib(?:EGL|GLES)_([\w.-]+)\.so$/.exec(driver)?.[1];
  const properties = {
    ...glesVersion > 0 ? { "ro.opengles.version": `${glesVersion}` } : {},
    ...name ? { "ro.hardware.egl": name } : {},
  };
  return { features, withheld, properties };
}

function levelFeature(value: number): DeclaredFeature {
  const text = decodeDeqpLevel(value);
  return { name: LEVEL, value, text, file: `${LEVEL}-${text}.xml`, installed: `${LEVEL}.xml` };
}
