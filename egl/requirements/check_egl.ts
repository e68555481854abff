import { decodeDeqpLevel, type DeqpLevel, encodeDeqpLevel } from "../../loader/requirements/deqp_level.ts";
import type { DeclaredFeature, DeviceDeclarations } from "../../loader/requirements/device_tree.ts";
import type { WithheldFeature } from "../../loader/requirements/earned_features.ts";
import { verdictOf } from "../../loader/requirements/verdict.ts";
import { EglError } from "../error.ts";
import type { LayeredEglOptions } from "../layers/install.ts";
import { loadEgl } from "../load_egl.ts";
import { describeDisplay, type EglDescription } from "./describe.ts";
import type { EglRequirement } from "./requirement.ts";
import { type EglRequirementOptions, eglRequirements } from "./requirements.ts";
import { Session } from "./session.ts";
import { THERE } from "./versions.ts";

/** Settings of {@linkcode checkEgl}: those of `loadEgl`, and the number of contexts to try. */
export interface EglCheckOptions extends LayeredEglOptions, EglRequirementOptions {}

/** The result of checking a driver of EGL and OpenGL ES. Members are only ever added. */
export interface EglReport {
  /** The driver's library. */
  readonly driver: string;
  /** The strings of the default display and its newest context; `undefined` if the display cannot be initialized. */
  readonly display: EglDescription | undefined;
  /**
   * The newest OpenGL ES in the form of `ro.opengles.version`: major in the upper 16 bits, minor in the lower 16 bits;
   * 196610 is 3.2. 0 if no context can be created.
   */
  readonly glesVersion: number;
  /** One verdict for each requirement, GL1 to GL16, in order. */
  readonly verdicts: readonly EglRequirement[];
}

/**
 * Opens a driver and checks whether it meets Android's requirements for EGL and OpenGL ES, GL1 to GL16. The check
 * creates contexts, makes wrong calls, and draws from buffers. A display that cannot be initialized gives a verdict,
 * not an error.
 *
 * @throws when there is no driver; the message says what was found and what to do.
 *
 * @example
 * ```ts ignore
 * import { checkEgl } from "@pumice/gfx/check";
 *
 * for (const { id, status, found } of checkEgl({ contexts: 100 }).verdicts) console.log(id, status, found);
 * ```
 */
export function checkEgl({ contexts, ...options }: EglCheckOptions = {}): EglReport {
  using egl = loadEgl(options);
  const { driver } = egl;
  try {
    const display = described(egl);
    return { driver, display, glesVersion: display.glesVersion, verdicts: eglRequirements(egl, { contexts }) };
  } catch (error) {
    if (!(error instanceof EglError)) throw error;
    const advice = "the driver must have a default display; give native for one that needs a platform";
    const verdict = verdictOf(THERE, { status: "fail", found: error.message, advice });
    return { driver, display: undefined, glesVersion: 0, verdicts: [verdict] };
  }
}

function described(egl: Session["egl"]): EglDescription {
  using session = new Session(egl);
  return describeDisplay(session);
}

/**
 * Opens a driver and describes its default display, without checking anything; `undefined` if the display cannot be
 * initialized.
 *
 * @throws when there is no driver.
 *
 * @example
 * ```ts ignore
 * import { describeEgl } from "@pumice/gfx/check";
 *
 * console.log(describeEgl({ driver: "/vendor/lib64/egl/libEGL_soc.so" })?.version);
 * ```
 */
export function describeEgl(options: LayeredEglOptions = {}): EglDescription | undefined {
  using egl = loadEgl(options);
  try {
    return described(egl);
  } catch (error) {
    if (error instanceof EglError) return undefined;
    throw error;
  }
}

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
