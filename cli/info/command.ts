import { GraphicsError } from "../../ffi/error.ts";
import { type VkjsonDifference, vkjsonDifferences } from "../../loader/vkjson/differences.ts";
import type { Request } from "../command.ts";
import { modelDifferences } from "../../loader/twin/model_differences.ts";
import { readSource } from "../../loader/twin/read_source.ts";
import { twinParts } from "../../workbench/process/twin_words.ts";
import { devices, isAboutDevices } from "./devices.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { explanationOf } from "../explain.ts";
import { composerText, eglText } from "./texts.ts";
import { makeReport, readReport, type Report } from "./report.ts";
import { summaryOf, summaryText, vulkanText } from "./vulkan_text.ts";
import type { Json } from "../../loader/vkjson/json_value.ts";

/** Prints capabilities of drivers, or differences, and returns the exit code. */
export async function info(
  request: Request,
  print: (text: string) => void,
  warn: (text: string) => void,
): Promise<number> {
  try {
    const { diff, summary, twin } = request.values;
    if (isAboutDevices(request)) return devices(request, print, warn);
    if (diff === "twin" && typeof twin === "string") return await twinDifferences(request, twin, print);
    if (diff !== undefined && summary === true) throw new WrongUse("info: --diff and --summary exclude each other");
    const other = typeof diff === "string" ? readReport(diff) : undefined;
    const report = await makeReport(request);
    if (other) return compare(request, report, other, print);
    if (request.values.summary === true) return summarize(report, request.json, print);
    print(request.json ? JSON.stringify(report.data, null, 2) : textOf(report));
    return 0;
  } catch (error) {
    if (request.json && error instanceof GraphicsError) print(JSON.stringify(explanationOf(error), null, 2));
    throw error;
  }
}

/** Compares the device under a twin with the source of the twin, in all that the source tells. */
async function twinDifferences(request: Request, twin: string, print: (text: string) => void): Promise<number> {
  const report = await makeReport(request), { source } = twinParts(twin), told = readSource(source);
  const found = modelDifferences(told, readSource(report.data));
  print(request.json ? JSON.stringify(found, null, 2) : differenceText(found, told.origin, "the twin"));
  return found.length === 0 ? 0 : 1;
}

/** Prints a line for each device. */
function summarize(report: Report, json: boolean, print: (text: string) => void): number {
  if (report.of !== "vulkan") throw new WrongUse("info: --summary is about Vulkan devices: leave it or the others out");
  const lines = summaryOf(report.data);
  print(json ? JSON.stringify(lines, null, 2) : summaryText(lines));
  return 0;
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

/** The longest part of a value that is shown. */
const LONGEST = 48;
/** The widest column of paths; longer paths stick out. */
const WIDEST = 88;

/** Returns a table of differences with both names in its head, or a sentence if there is no difference. */
function differenceText(found: readonly VkjsonDifference[], one: string, other: string): string {
  if (found.length === 0) return `${one} and ${other} say the same.`;
  const rows = [["", one, other], ...found.map((each) => [each.path, shown(each.one), shown(each.other)])];
  const widths = [0, 1].map((column) => Math.min(WIDEST, Math.max(...rows.map((row) => row[column].length))));
  const lines = rows.map(([path, ...values]) => [path.padEnd(widths[0]), values[0].padEnd(widths[1]), values[1]]);
  return lines.map((line) => line.join("  ").trimEnd()).join("\n");
}

/** Returns the text of a value; for an object that only one side has, "present". */
function shown(value: Json | undefined): string {
  if (value === undefined) return "-";
  if (value === true || typeof value === "object" && value !== null && !Array.isArray(value)) return "present";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
