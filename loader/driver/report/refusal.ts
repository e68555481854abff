import { DriverError, type DriverErrorCode } from "../../error.ts";
import { type Finding, hiddenFolders } from "./finding.ts";

/** The Khronos loader's message about a fault, and its severity. Programs search for these words. */
export interface Said {
  /** The message. */
  readonly message: string;
  /** The severity. Default: `"warning"`. */
  readonly level?: NonNullable<Finding["level"]>;
}

/** A file that cannot be used, with the Khronos loader's message about the fault. */
export class Refusal extends DriverError {
  /** The Khronos loader's message; absent if it has none. */
  readonly said?: Said;

  /** Makes the error of one file. */
  constructor(code: DriverErrorCode, path: string, sentence: string, said?: Said, options?: ErrorOptions) {
    super(code, path, sentence, options);
    this.said = said;
  }
}

/** Returns the finding about a file that an error refused. */
export function refusedFor(
  error: unknown,
  usual: Said["level"] = "warning",
): Pick<Finding, "taken" | "reason" | "level" | "message"> {
  const reason = (error as Error).message, said = saidOf(error);
  return { taken: false, reason, level: said ? said.level ?? "warning" : usual, ...said && { message: said.message } };
}

/** Returns the Khronos loader's message about an error. */
export function saidOf(error: unknown): Said | undefined {
  return error instanceof Refusal ? error.said : undefined;
}

/** Returns the sentence that no driver has a device, and what to do. */
export function noDriver(findings: readonly Finding[]): string {
  const looked = findings.filter(({ subject }) => subject === "manifest" || subject === "driver")
    .filter(({ taken }) => !taken).map(({ path, reason }) => `  ${path}: ${reason}`).join("\n");
  const seen = looked ? `looked at\n${looked}\n` : "";
  const advice = hiddenFolders(findings, "driver manifests", /^(?!.*_layer\.d$)/) ??
    `${seen ? "" : "found no driver manifest; "}install one (Debian: mesa-vulkan-drivers)`;
  return `Cannot find a Vulkan driver: ${seen}${advice} or name its library with the driver option`;
}
