/**
 * How a case of dEQP ended, by dEQP's own words. `Crash` and `Timeout` are also
 * what the runner says of a case whose process died or gave no sign of life;
 * `Missing` of one that no process said anything of, `Skip` of one not run.
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

/** The status of a word, whose case does not matter; `undefined` for other words. */
export function statusOf(word: string): DeqpStatus | undefined {
  if (NAMES.has(word)) return word as DeqpStatus;
  return [...NAMES].find((name) => name.toLowerCase() === word.toLowerCase()) as DeqpStatus | undefined;
}

/** Whether a claim of conformance may have such a case. */
export function isGood(status: DeqpStatus): boolean {
  return GOOD.has(status);
}

/** A case and how it ended. */
export interface DeqpCase {
  /** Its name, such as `dEQP-VK.api.smoke.create_sampler`. */
  readonly name: string;
  /** How it ended. */
  readonly status: DeqpStatus;
  /** What dEQP said. */
  readonly message: string;
  /** Seconds, where they were measured. */
  readonly seconds?: number;
}
