import { type RequirementStatus, type Rule, type Verdict, verdictOf } from "../../loader/requirements/verdict.ts";

export type { RequirementStatus, Rule };

/** One requirement of Android's for EGL and OpenGL ES, `GL1` to `GL16`, and what was found: a {@linkcode Verdict}. */
export type EglRequirement = Verdict;

/** Where most of what EGL and OpenGL ES must have is written. */
export const GUIDE = "Android's guide Implementing OpenGL ES and EGL";
/** The guide's section on layers. */
export const LAYER_GUIDE = "Android's guide Implementing OpenGL ES and EGL, layers";

/** Makes a row of a rule; what is left out is `undefined` or `""`. */
export function row(
  rule: Rule,
  status: RequirementStatus,
  found: string,
  { own, advice = "" }: { own?: Verdict["own"]; advice?: string } = {},
): EglRequirement {
  return verdictOf(rule, { status, found, own, advice });
}
