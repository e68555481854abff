import type { Requirement } from "../../loader/requirements/requirement.ts";
import type { Outcome, RequirementStatus, Rule, Verdict } from "../../loader/requirements/verdict.ts";
import type { Session } from "./session.ts";

export type { RequirementStatus, Rule };

/** The result for one of Android's requirements for EGL and OpenGL ES, `GL1` to `GL16`: a {@linkcode Verdict}. */
export type EglRequirement = Verdict;

/** What EGL or OpenGL ES must do, and how that is tried. */
export interface EglRule extends Requirement<[session: Session]> {}

/** Where most of what EGL and OpenGL ES must have is written. */
export const GUIDE = "Android's guide Implementing OpenGL ES and EGL";
/** The guide's section on layers. */
export const LAYER_GUIDE = "Android's guide Implementing OpenGL ES and EGL, layers";

/** It is as it shall be, by the driver's own doing. */
export function ofDriver(found: string): Outcome {
  return { status: "pass", found, own: "driver" };
}
