import { explainText } from "../loader/driver/report/finding.ts";
import type { Request } from "./command.ts";
import { type Explanation, failureText, withVulkan } from "./with_vulkan.ts";

/** Prints the findings of the search and returns the exit code. */
export function explain(request: Request, print: (text: string) => void): number {
  return withVulkan(request, print, (vulkan) => {
    const data: Explanation = { driver: vulkan.driver, findings: vulkan.explain() };
    return { data, text: explainText(data.findings) };
  }, failureText);
}
