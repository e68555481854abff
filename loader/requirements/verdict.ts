/** What came of a requirement. `"report"`: nothing is demanded, or nothing can be told by asking. */
export type RequirementStatus = "pass" | "fail" | "report" | "not-applicable";

/** One check of a requirement of Android's, and what was found. The same shape for Vulkan, EGL and the composer. */
export interface Verdict {
  /** Number of the requirement, such as `VK2`, `GL5` or `S3`; several checks may share one. */
  readonly id: string;
  /** Stable name of this very check, such as `vulkan.hardware-level` or `egl.extension.EGL_KHR_wait_sync`. */
  readonly rule: string;
  /** What is asked for, as a sentence. */
  readonly requirement: string;
  /** Where that is written: a document, a section of the CDD, the name of a CTS or VTS test. */
  readonly source: string;
  /** What came of it. */
  readonly status: RequirementStatus;
  /** Whose it is that was found: the driver's own, or provided by this loader. `undefined` where neither can be said. */
  readonly own: "driver" | "provided" | undefined;
  /** What was found. */
  readonly found: string;
  /** What to change; `""` where there is nothing to change. */
  readonly advice: string;
}

/** What a check is about: the part of a {@linkcode Verdict} that is known before anything is asked. */
export type Rule = Pick<Verdict, "id" | "rule" | "requirement" | "source">;

/** What came of a check; what is left out is `undefined` or `""`. */
export interface Outcome {
  /** What came of it. */
  readonly status: RequirementStatus;
  /** What was found. */
  readonly found: string;
  /** Whose it is that was found. */
  readonly own?: Verdict["own"];
  /** What to change. */
  readonly advice?: string;
}

/**
 * Joins a rule and what came of it.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const rule = { id: "VK2", rule: "vulkan.version", requirement: "There is a version.", source: "CDD 7.1.4.2" };
 * assertEquals(verdictOf(rule, { status: "pass", found: "1.3" }).advice, "");
 * ```
 */
export function verdictOf({ id, rule, requirement, source }: Rule, outcome: Outcome): Verdict {
  const { status, found, own, advice = "" } = outcome;
  return { id, rule, requirement, source, status, own, found, advice };
}
