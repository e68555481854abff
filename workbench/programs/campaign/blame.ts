import type { DriverDifference } from "../../recordings/compare/finding.ts";

/** The owner of the fault that ended a process. */
export type Blame = "driver" | "pumice";

/**
 * Lines that Deno and V8 print when they end the process themselves, and the beginning of an error that nobody caught.
 */
const OWN = /Deno has panicked|Fatal JavaScript|Fatal error in|error: Uncaught/;
/** How a call that a driver refused says so. */
const REFUSED = /VK_ERROR_/;

/**
 * Tells whose fault it is that a process ended or refused a program;
 * `undefined` for other differences. A process that a signal ended was in
 * native code, which is the driver's, unless Deno said that it ended itself.
 */
export function blameOf({ kind, reason = "" }: Pick<DriverDifference, "kind" | "reason">): Blame | undefined {
  if (kind === "differs") return undefined;
  if (kind === "failed") return REFUSED.test(reason) ? "driver" : "pumice";
  return OWN.test(reason) ? "pumice" : "driver";
}
