import { DriverError, type DriverErrorCode } from "../../error.ts";
import type { Finding } from "./finding.ts";

/** What the Khronos loader says of a fault, and how loud: programs look for these words. */
export interface Said {
  /** The words. */
  readonly message: string;
  /** How loud. Default: `"warning"`. */
  readonly level?: NonNullable<Finding["level"]>;
}

/** A file that cannot be used, and what the Khronos loader says of that fault. */
export class Refusal extends DriverError {
  /** The Khronos loader's words; absent where it has none. */
  readonly said?: Said;

  /** Makes the error of one file. */
  constructor(code: DriverErrorCode, path: string, sentence: string, said?: Said, options?: ErrorOptions) {
    super(code, path, sentence, options);
    this.said = said;
  }
}

/** What a finding says of a file that an error refused. */
export function refusedFor(
  error: unknown,
  usual: Said["level"] = "warning",
): Pick<Finding, "taken" | "reason" | "level" | "message"> {
  const reason = (error as Error).message, said = saidOf(error);
  return { taken: false, reason, level: said ? said.level ?? "warning" : usual, ...said && { message: said.message } };
}

/** What the Khronos loader says of an error's fault. */
export function saidOf(error: unknown): Said | undefined {
  return error instanceof Refusal ? error.said : undefined;
}
