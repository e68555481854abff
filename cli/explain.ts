import { explainText } from "../loader/driver/report/finding.ts";
import { DriverError, VulkanError } from "../loader/error.ts";
import { loadVulkan, requireDriver } from "../loader/api/load_vulkan.ts";
import type { Finding } from "../loader/mod.ts";
import type { Request } from "./command.ts";

/** The output of `explain --json`, and of other commands whose driver cannot be used. Members are only ever added. */
export interface Explanation {
  /** The driver in use; absent if there is none. */
  readonly driver?: string;
  /** The reason why no driver can be used. */
  readonly error?: string;
  /** The findings of the search, in order. */
  readonly findings: readonly Finding[];
}

/** Prints the findings of the search and returns the exit code. Throws the error of a search without a driver. */
export function explain({ options, json }: Request, print: (text: string) => void): number {
  const tell = (found: Explanation) => {
    const text = json ? JSON.stringify(found, null, 2) : explainText(found.findings);
    if (text !== "") print(text);
  };
  try {
    using vulkan = requireDriver(loadVulkan(options));
    tell({ driver: vulkan.driver, findings: vulkan.explain() });
    return 0;
  } catch (error) {
    if (error instanceof DriverError || error instanceof VulkanError) tell(explanationOf(error));
    throw error;
  }
}

/** A failure as data. */
export function explanationOf(error: Error): Explanation {
  return { error: error.message, findings: error instanceof DriverError ? error.findings : [] };
}
