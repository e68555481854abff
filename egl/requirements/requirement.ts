/** What came of a requirement. `"report"`: nothing is demanded, or nothing can be told by asking. */
export type RequirementStatus = "pass" | "fail" | "report" | "not-applicable";

/** One requirement of Android's for EGL and OpenGL ES, and what was found. */
export interface EglRequirement {
  /** Its number, `GL1` to `GL16`; several rows may share one. */
  readonly id: string;
  /** What is asked for, as a sentence. */
  readonly requirement: string;
  /** What came of it. */
  readonly status: RequirementStatus;
  /** Whose it is that was found: the driver's own, or provided by this loader. `undefined` where neither can be said. */
  readonly own: "driver" | "provided" | undefined;
  /** What was found. */
  readonly found: string;
  /** What to do; `""` where there is nothing to do. */
  readonly advice: string;
}

/** Makes a row; what is left out is `undefined` or `""`. */
export function row(
  id: string,
  requirement: string,
  status: RequirementStatus,
  found: string,
  { own, advice = "" }: { own?: EglRequirement["own"]; advice?: string } = {},
): EglRequirement {
  return { id, requirement, status, own, found, advice };
}
