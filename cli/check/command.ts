import type { Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { writeReport } from "../../workbench/process/files.ts";
import { ReportFolder } from "../../workbench/runs/report/folder.ts";
import { checkJunit } from "../../workbench/check/output/junit.ts";
import { checkMarkdown } from "../../workbench/check/output/markdown.ts";
import { type CheckReport, VERDICT_WORDS } from "../../workbench/check/report.ts";
import { checkRequest } from "./request.ts";
import { runCheck } from "../../workbench/check/run_check.ts";
import { columnsHere } from "../../workbench/process/terminal.ts";
import { Progress } from "../../workbench/process/progress.ts";
import { styleHere } from "../../workbench/process/style.ts";
import { checkText } from "../../workbench/check/output/text.ts";

const FALLBACK_COLUMNS = 100;

/** Checks the rules, prints the report and returns the exit code. */
export async function check(request: Request, print: (text: string) => void): Promise<number> {
  const format = formatOf(request), { junit, html } = request.values;
  const folder = html === undefined ? undefined : new ReportFolder(html as string);
  const wanted = checkRequest(request);
  using progress = new Progress("check");
  const report = await runCheck(wanted, ({ status, rule }) => progress.show(`${rule}: ${VERDICT_WORDS[status]}`));
  progress.show("");
  if (junit !== undefined) writeReport("--junit", junit as string, checkJunit(report));
  print(format(report));
  folder?.write((await import("../../workbench/check/output/check_page.ts")).checkPage(report));
  return report.good ? 0 : 1;
}

/** How the report is printed. `--failures` leaves rules out of what people read; data have them all. */
function formatOf({ json, values: { markdown, failures } }: Request): (report: CheckReport) => string {
  if (json && markdown) throw new WrongUse("check: --json and --markdown exclude each other");
  if (failures && (json || markdown)) {
    throw new WrongUse("check: --failures is for text: leave it or --json and --markdown out");
  }
  if (json) return (report) => JSON.stringify(report, null, 2);
  return markdown ? checkMarkdown : (report) => checkText(report, { ...terminal(), failures: failures === true });
}

function terminal() {
  return { style: styleHere(), width: columnsHere() ?? FALLBACK_COLUMNS };
}
