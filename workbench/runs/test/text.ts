import { counted, plain } from "../../process/terminal.ts";
import { matrixText } from "../testing/report.ts";
import { isBad, outcomeText, verdictText } from "../deqp/judge.ts";
import type { RunOutcome, RunResult } from "../deqp/run_tasks.ts";
import { type JUnitCase, junitXml } from "../../../loader/junit.ts";
import { caseOf } from "../deqp/results_file.ts";
import type { GpuTestDetails } from "./work.ts";

type Result = RunResult<GpuTestDetails>;
type Outcome = RunOutcome<GpuTestDetails>;

/** Returns the lines about a result that was not expected: why, and how to run the test again. */
export function failureText({ name, status, outcome, message, details }: Result): string | undefined {
  if (["passed", "skipped", "expected"].includes(outcome)) return undefined;
  const { repro, bundle } = details?.result ?? {};
  return [
    `${outcomeText({ outcome, status })}: ${plain(name)}`,
    ...indented(message),
    ...repro ? [`  run it again: ${repro}`] : [],
    ...bundle ? [`  send it on: ${bundle}`] : [],
  ].join("\n");
}

/** The table of tests and drivers, and the counts. */
export function runText({ results, counts, isGood }: Outcome): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0).map(([outcome, count]) =>
    `${count} ${outcome}`
  );
  const tables = [...byFile(results)].map(([file, own]) => `${plain(file)}\n${tableOf(own)}`);
  return [...tables, `${counted(results.length, "result")}: ${parts.join(", ")}\n${verdictText(isGood)}`].join("\n\n");
}

/** Formats a run as JUnit's XML: a suite for each file, and the drivers as classes. */
export function testJunit({ results }: Outcome): string {
  return junitXml([...byFile(results)].map(([file, own]) => ({ name: file, cases: own.map(testCase) })));
}

/** Lines by which GitHub marks the places of failures in the code. */
export function githubLines({ results }: Outcome): string[] {
  return results.filter(({ outcome }) => isBad(outcome)).map((result) => {
    const { file, line, test, driver } = result.details?.place ?? { file: "", test: result.name, driver: "" };
    const title = driver ? `${test} (${driver})` : test || file;
    const about = `file=${property(file)}${line ? `,line=${line}` : ""},title=${property(title)}`;
    return `::error ${about}::${data([outcomeText(result), result.message].filter(Boolean).join(": "))}`;
  });
}

/** The results by file, in order. */
export function byFile(results: readonly Result[]): Map<string, Result[]> {
  return Map.groupBy(results, ({ name, details }) => details?.place.file ?? name.split(" / ")[0]);
}

function indented(message: string): string[] {
  return message === "" ? [] : message.trimEnd().split("\n").map((line) => `  ${plain(line)}`);
}

function testCase(result: Result): JUnitCase {
  const base = caseOf(result), { place, output } = result.details ?? {};
  const printed = [base.output, output].filter(Boolean).join("\n");
  return {
    ...base,
    name: place?.test || result.name,
    classname: [place?.file, place?.driver].filter(Boolean).join("."),
    ...printed && { output: printed },
  };
}

function tableOf(results: readonly Result[]): string {
  const own = results.flatMap(({ details, status, message }) => {
    const { place, result } = details ?? {};
    if (result) return [{ ...result, test: plain(result.test) }];
    if (!place || place.test === "") return [];
    const { test, driver } = place;
    if (status === "Skip") {
      return [{ file: place.file, test: plain(test), driver, status: "skipped" as const, reason: message }];
    }
    return [];
  });
  const rest = results.filter(({ details, status }) => !details?.result && status !== "Skip");
  const lines = rest.map(({ name, status, outcome, message }) =>
    `${outcomeText({ outcome, status })}: ${plain(name)}${message && `: ${plain(message.split("\n")[0])}`}`
  );
  return [...own.length > 0 ? [matrixText(own)] : [], ...lines].join("\n");
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
