import { type CheckReport, checkReport } from "../../../workbench/check/report.ts";
import type { RequirementStatus, Verdict } from "../../../loader/requirements/verdict.ts";

/** A verdict of a status. */
export function verdict(rule: string, status: RequirementStatus, more: Partial<Verdict> = {}): Verdict {
  const base = { id: "VK2", requirement: `Rule of ${rule}.`, source: "CDD 7.1.4.2", own: undefined };
  return { ...base, rule, status, found: `found for ${rule}`, advice: status === "fail" ? "change it" : "", ...more };
}

/** A report with one part of each kind: one with everything, one that was not run. */
export const SAMPLE: CheckReport = checkReport(14, [
  {
    part: "vulkan",
    subject: "libvulkan_x.so",
    isNamed: false,
    verdicts: [
      verdict("vulkan.a", "fail", { found: "a | b < c & *d*" }),
      verdict("vulkan.b", "pass"),
      verdict("vulkan.c", "report", { advice: "look at it" }),
      verdict("vulkan.d", "not-applicable"),
    ],
  },
  { part: "composer", subject: "", isNamed: false, notRun: "no composer is named", verdicts: [] },
]);
