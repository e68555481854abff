import type { Requirement } from "../../loader/requirements/requirement.ts";
import type { Outcome, RequirementStatus, Rule, Verdict } from "../../loader/requirements/verdict.ts";
import type { Session } from "./session.ts";

export type { RequirementStatus, Rule };

/** The result for one of Android's requirements for EGL and OpenGL ES, `GL1` to `GL16`: a {@linkcode Verdict}. */
export type EglRequirement = Verdict;

/** A requirement for EGL or OpenGL ES, and its check. */
export interface EglRule extends Requirement<[session: Session]> {}

/** The document with most requirements for EGL and OpenGL ES. */
export const GUIDE = "Android's guide Implementing OpenGL ES and EGL";
/** The guide's section on layers. */
export const LAYER_GUIDE = "Android's guide Implementing OpenGL ES and EGL, layers";

/** The outcome of a requirement that the driver itself meets. */
export function ofDriver(found: string): Outcome {
  return { status: "pass", found, own: "driver" };
}
