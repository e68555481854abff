import type { VulkanReport } from "../../loader/requirements/report.ts";
import type { Verdict } from "../../loader/requirements/verdict.ts";
import { DriverError, VulkanError } from "../../loader/mod.ts";

/** The environment variable that has the options of a check in a process of its own, as JSON. */
export const CHECK_VARIABLE = "PUMICE_CHECK";

/** What such a process tells. */
export interface ChildLine {
  /** The rule that is tried now. */
  readonly begin?: string;
  /** What came of it. */
  readonly end?: Verdict;
  /** All of it, at the end. */
  readonly report?: VulkanReport;
  /** Why there is no report: of the options, or of the driver. */
  readonly wrong?: string;
  readonly notRun?: string;
}

/** What is told of an error that ends a check. Throws it if it is none that a check may end with. */
export function notRun(error: unknown): ChildLine {
  if (error instanceof TypeError) return { wrong: error.message };
  if (error instanceof DriverError || error instanceof VulkanError) return { notRun: error.message };
  throw error;
}
