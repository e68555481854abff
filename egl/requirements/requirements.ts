import { checkOptions, number, type OptionRules } from "../../ffi/check_options.ts";
import { byNumber, judge } from "../../loader/requirements/requirement.ts";
import type { Egl } from "../api/egl.ts";
import { contextRules } from "./contexts.ts";
import { EXTENSION_RULES } from "./extensions.ts";
import { FORMAT_RULES } from "./formats.ts";
import { LAYER_RULES } from "./layers.ts";
import { FILE_RULES } from "./files.ts";
import type { EglRequirement, EglRule } from "./requirement.ts";
import { ROBUSTNESS_RULES } from "./robustness.ts";
import { Session } from "./session.ts";
import { VERSION_RULES } from "./versions.ts";

/** Settings of `eglRequirements`. */
export interface EglRequirementOptions {
  /** The number of contexts to try, as far as memory allows. Default 100. */
  readonly contexts?: number;
}

/** The default number of contexts to try, which the documentation and the command line's help state. */
export const DEFAULT_CONTEXTS = 100;

const OPTIONS: OptionRules<EglRequirementOptions> = {
  contexts: number,
};

const RULES: readonly EglRule[] = [
  ...VERSION_RULES,
  ...ROBUSTNESS_RULES,
  ...FORMAT_RULES,
  ...EXTENSION_RULES,
  ...FILE_RULES,
  ...LAYER_RULES,
];

/**
 * Checks Android's requirements for EGL and OpenGL ES, GL1 to GL16, on a loader's driver, with contexts on the default
 * display. Returns the results in order. The current objects are current again afterwards.
 *
 * @throws when the default display cannot be initialized.
 *
 * @example
 * ```ts ignore
 * import { eglRequirements } from "@pumice/gfx/check";
 * import { loadEgl } from "@pumice/gfx/egl";
 *
 * using egl = loadEgl();
 * for (const { id, rule } of eglRequirements(egl)) console.log(id, rule);
 * ```
 */
export function eglRequirements(egl: Egl, options: EglRequirementOptions = {}): EglRequirement[] {
  checkOptions("eglRequirements()", options, OPTIONS);
  const { contexts = DEFAULT_CONTEXTS } = options;
  using session = new Session(egl);
  // Contexts come first: memory that other checks have freed would be reused and not counted.
  return byNumber(judge([...contextRules(contexts), ...RULES], [session]));
}
