import { vkjsonDifferences } from "../../loader/vkjson/differences.ts";
import { type Request, WrongUse } from "../command.ts";
import { exitCodeOf } from "../exit_code.ts";
import { explanationOf } from "../with_vulkan.ts";
import { composerText } from "./composer_text.ts";
import { differenceText } from "./difference_text.ts";
import { eglText } from "./egl_text.ts";
import { makeReport, readReport, type Report } from "./report.ts";
import { vulkanText } from "./vulkan_text.ts";

/** Prints capabilities of drivers, or differences, and returns the exit code. */
export async function info(request: Request, print: (text: string) => void): Promise<number> {
  try {
    const { diff } = request.values, other = typeof diff === "string" ? readReport(diff) : undefined;
    const report = await makeReport(request);
    if (other) return compare(request, report, other, print);
    print(request.json ? JSON.stringify(report.data, null, 2) : textOf(report));
    return 0;
  } catch (error) {
    if (!(error instanceof Error) || error instanceof WrongUse || error instanceof TypeError) throw error;
    print(request.json ? JSON.stringify(explanationOf(error), null, 2) : error.message);
    return exitCodeOf(error);
  }
}

function textOf(report: Report): string {
  if (report.of === "vulkan") return vulkanText(report.data, report.own);
  return report.of === "egl" ? eglText(report.data) : composerText(report.data);
}

function compare(
  { json, operand, values }: Request,
  report: Report,
  other: Report,
  print: (text: string) => void,
): number {
  const path = values.diff as string;
  if (other.of !== report.of) throw new WrongUse(`info: "${path}" describes ${other.of}, not ${report.of}`);
  const found = vkjsonDifferences(report.data, other.data);
  print(json ? JSON.stringify(found, null, 2) : differenceText(found, operand ?? "this driver", path));
  return found.length === 0 ? 0 : 1;
}
