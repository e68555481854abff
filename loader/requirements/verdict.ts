/** The result of a check. `"report"`: nothing is required, or queries cannot tell. */
export type RequirementStatus = "pass" | "fail" | "report" | "not-applicable";

/**
 * One check of a requirement of Android, and what was found. The shape is the
 * same for Vulkan, EGL and the composer.
 */
export interface Verdict {
  /** Number of the requirement, such as `VK2`, `GL5` or `S3`; several checks may share one. */
  readonly id: string;
  /** Stable name of this check, such as `vulkan.hardware-level` or `egl.extension.EGL_KHR_wait_sync`. */
  readonly rule: string;
  /** The requirement, as a sentence. */
  readonly requirement: string;
  /** The document: a section of the CDD, or the name of a CTS or VTS test. */
  readonly source: string;
  /** The verdict. */
  readonly status: RequirementStatus;
  /** The owner of what was found: the driver, or this loader (`"provided"`). `undefined` if neither can be said. */
  readonly own: "driver" | "provided" | undefined;
  /** The finding. */
  readonly found: string;
  /** Advice on what to change; `""` if nothing. */
  readonly advice: string;
}

/** The subject of a check: the part of a {@linkcode Verdict} that is known before the check. */
export type Rule = Pick<Verdict, "id" | "rule" | "requirement" | "source">;

/** The outcome of a check. Members that are left out are `undefined` or `""`. */
export interface Outcome {
  /** The verdict. */
  readonly status: RequirementStatus;
  /** The finding. */
  readonly found: string;
  /** The owner of what was found. */
  readonly own?: Verdict["own"];
  /** Advice on what to change. */
  readonly advice?: string;
}

/**
 * Joins a rule and its outcome.
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
