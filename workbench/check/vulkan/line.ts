import type { VulkanReport } from "../../../loader/requirements/report.ts";
import type { Verdict } from "../../../loader/requirements/verdict.ts";
import { DriverError, VulkanError } from "../../../loader/error.ts";

/** The environment variable that has the options of a check in a process of its own, as JSON. */
export const CHECK_VARIABLE = "PUMICE_CHECK";

/** A line of output of a process that checks a driver. */
export interface ChildLine {
  /** The rule that is tried now. */
  readonly begin?: string;
  /** A call of the driver outside of the rules begins. */
  readonly call?: string;
  /** The command that has returned. */
  readonly returned?: string;
  /** The result of the check. */
  readonly end?: Verdict;
  /** The whole report, at the end. */
  readonly report?: VulkanReport;
  /** The reason why there is no report: an error of the options or of the driver. */
  readonly wrong?: string;
  readonly notRun?: string;
}

/** Returns the sentence for an error that ends a check. Throws the error if a check cannot end with it. */
export function notRun(error: unknown): ChildLine {
  if (error instanceof TypeError) return { wrong: error.message };
  if (error instanceof DriverError || error instanceof VulkanError) return { notRun: error.message };
  throw error;
}
