import type { RequirementStatus, Verdict } from "../../../loader/requirements/verdict.ts";
import { type CheckReport, countsOf, type PartReport, resultText, TITLES } from "../report.ts";

/** The order of statuses in a table. */
const ORDER: readonly RequirementStatus[] = ["fail", "report", "pass", "not-applicable"];

/** Returns a report as Markdown: a table for each part, failures first. */
export function checkMarkdown(report: CheckReport): string {
  const end = resultText(report).replace(" not ", " **not** ");
  return [`# Check for Android ${report.release}: ${end}`, ...report.parts.map(section)].join("\n\n");
}

function section({ part, subject, notRun, verdicts }: PartReport): string {
  const title = `## ${TITLES[part]}`, about = subject ? `${cell(subject)}\n\n` : "";
  if (notRun !== undefined) return `${title}\n\n${about}Not run: ${cell(notRun)}`;
  const { pass, fail, report, ...others } = countsOf(verdicts);
  const counts = `${pass} passed, ${fail} failed, ${report} to note, ${others["not-applicable"]} not applicable.`;
  const rows = ORDER.flatMap((status) => verdicts.filter((each) => each.status === status)).map(row);
  return `${title}\n\n${about}${counts}\n\n${HEAD}\n${rows.join("\n")}`;
}

/** The words for statuses. */
const MARKS: Readonly<Record<RequirementStatus, string>> = {
  fail: "**failed**",
  report: "note",
  pass: "passed",
  "not-applicable": "n/a",
};
const HEAD = "| | | requirement | found | what to change | source | rule |\n| - | - | - | - | - | - | - |";

function row({ status, id, requirement, found, advice, source, rule }: Verdict): string {
  const mark = MARKS[status];
  return `| ${[mark, id, ...[requirement, found, advice, source].map(cell), `\`${rule}\``].join(" | ")} |`;
}

function cell(text: string): string {
  return text.replace(/[\\|`*_<>[\]]/g, "\\$&").replace(/\s*\n\s*/g, " ");
}
