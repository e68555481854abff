import { checkOptions, number, type OptionRules } from "../../ffi/check_options.ts";
import type { Egl } from "../api/egl.ts";
import { contextRows } from "./contexts.ts";
import { extensionRows } from "./extensions.ts";
import { formatRows } from "./formats.ts";
import { fileRows } from "./files.ts";
import { layerRows } from "./layers.ts";
import type { EglRequirement } from "./requirement.ts";
import { robustnessRows } from "./robustness.ts";
import { Session } from "./session.ts";
import { versionRows } from "./versions.ts";

/** What `eglRequirements` can be told. */
export interface EglRequirementOptions {
  /** How many contexts are tried, as far as there is memory for them. Default 1000. */
  readonly contexts?: number;
}

const RULES: OptionRules<EglRequirementOptions> = {
  contexts: number,
};

/**
 * Android's requirements for EGL and OpenGL ES, GL1 to GL16, in order, and what
 * came of each on a loader's driver: it is tried, with contexts on the default
 * display. What is current is so again afterwards.
 *
 * @throws {EglError} when the default display cannot be initialized.
 */
export function eglRequirements(egl: Egl, options: EglRequirementOptions = {}): EglRequirement[] {
  checkOptions("eglRequirements()", options, RULES);
  const { contexts = 1000 } = options;
  using session = new Session(egl);
  const rows = [
    ...contextRows(session, contexts), // first, for what others used before would not count
    ...versionRows(session),
    ...robustnessRows(session),
    ...formatRows(session),
    ...extensionRows(session),
    ...fileRows(egl),
    ...layerRows(session),
  ];
  return rows.sort((one, other) => Number(one.id.slice(2)) - Number(other.id.slice(2)));
}
