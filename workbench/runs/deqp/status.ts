/**
 * The end of a case of dEQP, in dEQP's own words. The runner also gives `Crash`
 * and `Timeout` to a case whose process died or hung, `Missing` to a case
 * without any result, and `Skip` to a case that was not run.
 */
export type DeqpStatus =
  | "Pass"
  | "Fail"
  | "QualityWarning"
  | "CompatibilityWarning"
  | "NotSupported"
  | "Waiver"
  | "ResourceError"
  | "InternalError"
  | "DeviceLost"
  | "Crash"
  | "Timeout"
  | "Missing"
  | "Skip";

const NAMES: ReadonlySet<string> = new Set<DeqpStatus>([
  ...["Pass", "Fail", "QualityWarning", "CompatibilityWarning", "NotSupported", "Waiver"] as const,
  ...["ResourceError", "InternalError", "DeviceLost", "Crash", "Timeout", "Missing", "Skip"] as const,
]);
const GOOD: ReadonlySet<DeqpStatus> = new Set<DeqpStatus>([
  ...["Pass", "QualityWarning", "CompatibilityWarning", "NotSupported", "Waiver", "Skip"] as const,
]);

/** Returns the status of a word in any case; `undefined` for other words. */
export function statusOf(word: string): DeqpStatus | undefined {
  if (NAMES.has(word)) return word as DeqpStatus;
  return [...NAMES].find((name) => name.toLowerCase() === word.toLowerCase()) as DeqpStatus | undefined;
}

/** Whether a case with this status may be part of a claim of conformance. */
export function isGood(status: DeqpStatus): boolean {
  return GOOD.has(status);
}

/** A case and its status. */
export interface DeqpCase {
  /** The name, such as `dEQP-VK.api.smoke.create_sampler`. */
  readonly name: string;
  /** The status. */
  readonly status: DeqpStatus;
  /** The message of dEQP. */
  readonly message: string;
  /** Duration in seconds, if it was measured. */
  readonly seconds?: number;
}
