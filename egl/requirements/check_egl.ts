import { verdictOf } from "../../loader/requirements/verdict.ts";
import { EglError } from "../error.ts";
import type { LayeredEglOptions } from "../layers/layered_egl.ts";
import { loadEgl } from "../load_egl.ts";
import { describeDisplay, type EglDescription } from "./describe.ts";
import type { EglRequirement } from "./requirement.ts";
import { type EglRequirementOptions, eglRequirements } from "./requirements.ts";
import { Session } from "./session.ts";
import { THERE } from "./versions.ts";

/** What {@linkcode checkEgl} can be told: what `loadEgl` can, and how many contexts are tried. */
export interface EglCheckOptions extends LayeredEglOptions, EglRequirementOptions {}

/** What came of a driver of EGL and OpenGL ES. Members are only ever added. */
export interface EglReport {
  /** The library of the driver. */
  readonly driver: string;
  /** What its default display and newest context say; `undefined` when the display cannot be initialized. */
  readonly display: EglDescription | undefined;
  /**
   * The newest OpenGL ES as `ro.opengles.version` has it: major in the upper
   * 16 bits, minor in the lower; 196610 is 3.2. 0 where no context can be made.
   */
  readonly glesVersion: number;
  /** Each requirement, GL1 to GL16, in order. */
  readonly verdicts: readonly EglRequirement[];
}

/**
 * Opens a driver and looks whether it does what Android asks of EGL and
 * OpenGL ES, GL1 to GL16. It is tried: contexts are made, wrong calls made,
 * buffers drawn from. A display that cannot be initialized is a verdict, too.
 *
 * @throws {DriverError} when there is no driver; the message says what was found and what to do.
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
 * Opens a driver and asks its default display what it is, without checking
 * anything; `undefined` when it cannot be initialized.
 *
 * @throws {DriverError} when there is no driver.
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
