import type { RequirementStatus, Verdict } from "../../../loader/requirements/verdict.ts";
import { type CheckCounts, type CheckReport, countsOf, type PartReport, resultText, TITLES } from "../report.ts";
import { NARROW, PLAIN, type Style } from "../../process/terminal.ts";

/** Options for the text of a report. */
export interface TextOptions {
  /** Default: no colours. */
  readonly style?: Style;
  /** Columns. Default 100. */
  readonly width?: number;
  /** Whether rules that do not fail are left out. Default: no. */
  readonly failures?: boolean;
}

const MARKS: Readonly<Record<RequirementStatus, string>> = {
  pass: "passed",
  fail: "failed",
  report: "note",
  "not-applicable": "n/a",
};
const STATUS_WIDTH = 6, ID_WIDTH = 5;
/** The indent of text: behind the mark and the number, or below them if there is no room for columns. */
const INDENT = " ".repeat(2 + STATUS_WIDTH + 2 + ID_WIDTH + 1), NARROW_INDENT = " ".repeat(4);

/** The style, width and indent of lines. */
interface Layout {
  readonly style: Style;
  readonly width: number;
  readonly indent: string;
}

/** A report for people: part by part, then everything that failed, then how many there were of each. */
export function checkText(
  report: CheckReport,
  { style = PLAIN, width = 100, failures = false }: TextOptions = {},
): string {
  const layout: Layout = { style, width, indent: width < NARROW ? NARROW_INDENT : INDENT };
  const failed = report.parts.filter(({ verdicts }) => verdicts.some(hasFailed));
  return [
    ...failures ? [] : report.parts.flatMap((part) => [...partLines(part, layout), ""]),
    ...failed.length > 0 ? [style.bold(style.red("What fails")), ""] : [],
    ...failed.flatMap(({ verdicts }) => verdicts.filter(hasFailed).flatMap((each) => failureLines(each, layout))),
    ...summaryLines(report, style),
  ].join("\n");
}

function hasFailed({ status }: Verdict): boolean {
  return status === "fail";
}

function partLines({ part, subject, notRun, verdicts }: PartReport, layout: Layout): string[] {
  const { style, width } = layout;
  const title = `${style.bold(TITLES[part])}${subject ? `  ${style.dim(subject)}` : ""}`;
  if (notRun !== undefined) return [title, ...wrap(`Not run: ${notRun}`, width - 2).map((line) => `  ${line}`)];
  return [title, ...verdicts.filter((each) => !hasFailed(each)).flatMap((each) => verdictLines(each, layout))];
}

/** Returns the rule, and below it the finding and the rule's source. */
function verdictLines(verdict: Verdict, layout: Layout): string[] {
  const { found, advice, status, source } = verdict, { style, width, indent } = layout;
  const advised = status === "report" && advice !== "" ? [`To do: ${advice}`] : [];
  return [
    ...headLines(verdict, layout),
    ...[found, ...advised, source].flatMap((text) => wrap(text, width - indent.length)).map((line) =>
      indent + style.dim(line)
    ),
  ];
}

function headLines({ id, requirement, status }: Verdict, { style, width, indent }: Layout): string[] {
  const lines = wrap(requirement, width - indent.length).map((line) => indent + line);
  const head = `  ${colored(status, MARKS[status].padEnd(STATUS_WIDTH), style)}  `;
  if (indent === NARROW_INDENT) return [head + id, ...lines];
  return [`${head}${id.padEnd(ID_WIDTH)} ${lines[0].trimStart()}`, ...lines.slice(1)];
}

function failureLines(verdict: Verdict, layout: Layout): string[] {
  const { rule, found, advice, source } = verdict, { style, width, indent } = layout;
  const named = (name: string, text: string) =>
    wrap(text, width - indent.length - 8).map((line, index) =>
      `${indent}${style.dim((index === 0 ? name : "").padEnd(8))}${line}`
    );
  return [
    ...headLines(verdict, layout),
    ...named("found", found),
    ...named("change", advice),
    ...named("source", source),
    ...named("rule", rule),
    "",
  ];
}

function summaryLines(report: CheckReport, style: Style): string[] {
  const { parts, good, counts, release, written } = report, result = resultText(report);
  const run = parts.filter(({ notRun }) => notRun === undefined);
  const names = Math.max(...parts.map(({ part }) => TITLES[part].length));
  const end = good ? style.green(result) : style.red(result);
  return [
    ...parts.map(({ part, verdicts, notRun }) => {
      const what = notRun === undefined ? countText(countsOf(verdicts), style) : style.dim("not run");
      return `${TITLES[part].padEnd(names)}  ${what}`;
    }),
    ...run.length > 1 ? [`${"All".padEnd(names)}  ${countText(counts, style)}`] : [],
    ...(written ?? []).map((path) => `Written: ${path}`),
    style.bold(`Android ${release}: ${end}`),
  ];
}

function countText(counts: CheckCounts, style: Style): string {
  const { pass, fail, report } = counts;
  return [
    style.green(`${pass} passed`),
    fail > 0 ? style.red(`${fail} failed`) : "0 failed",
    report > 0 ? style.yellow(`${report} to note`) : "0 to note",
    style.dim(`${counts["not-applicable"]} not applicable`),
  ].join(", ");
}

function colored(status: RequirementStatus, text: string, style: Style): string {
  if (status === "pass") return style.green(text);
  if (status === "fail") return style.bold(style.red(text));
  return status === "report" ? style.yellow(text) : style.dim(text);
}

/**
 * Breaks text at spaces into lines of a width; a longer word gets a line of
 * its own.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(wrap("the quick brown fox", 10), ["the quick", "brown fox"]);
 * ```
 */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
