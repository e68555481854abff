import { explainText } from "../loader/driver/report/finding.ts";
import { DriverError, type Finding, loadVulkan, requireDriver, type Vulkan, VulkanError } from "../loader/mod.ts";
import type { Request } from "./command.ts";
import { exitCodeOf } from "../workbench/process/exit_code.ts";

/** The output of `explain --json`, and of other commands whose driver cannot be used. Members are only ever added. */
export interface Explanation {
  /** The driver in use; absent if there is none. */
  readonly driver?: string;
  /** Why no driver can be used. */
  readonly error?: string;
  /** The findings of the search, in order. */
  readonly findings: readonly Finding[];
}

/** The output of a command about a driver. */
export interface View {
  /** For machines. */
  readonly data: unknown;
  /** For people. */
  readonly text: string;
}

/** Opens the driver that is asked for and prints a view of it, or why there is none: the exit code. */
export function withVulkan(
  { options, json }: Request,
  print: (text: string) => void,
  view: (vulkan: Vulkan) => View,
  failure: (error: DriverError | VulkanError) => string = ({ message }) => message,
): number {
  try {
    using vulkan = requireDriver(loadVulkan(options));
    const { data, text } = view(vulkan);
    print(json ? JSON.stringify(data, null, 2) : text);
    return 0;
  } catch (error) {
    if (!(error instanceof DriverError || error instanceof VulkanError)) throw error;
    print(json ? JSON.stringify(explanationOf(error), null, 2) : failure(error));
    return exitCodeOf(error);
  }
}

/** Returns the findings of a failed search, and the error below them. */
export function failureText(error: DriverError | VulkanError): string {
  const { findings } = explanationOf(error);
  return findings.length === 0 ? error.message : `${explainText(findings)}\n\n${error.message}`;
}

/** A failure as data. */
export function explanationOf(error: Error): Explanation {
  return { error: error.message, findings: error instanceof DriverError ? error.findings : [] };
}
