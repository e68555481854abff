import { compareDrivers } from "../../workbench/recordings/compare/compare_drivers.ts";
import { comparisonText } from "../../workbench/recordings/compare/report/text.ts";
import { findingPage } from "../../workbench/recordings/compare/report/page.ts";
import type { Process, Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { checkReport, existing, makeFolder, writeReport } from "../../workbench/process/files.ts";
import { STOPPED, untilStopped } from "../../workbench/process/stop.ts";
import { againLine } from "../test/again.ts";
import { refuseQueued } from "../test/known.ts";
import { driversOf, scaled, stepsOf, withoutContents } from "./arguments.ts";
import { Progress } from "../../workbench/process/progress.ts";

// Loaded when it is needed: cli/commands.ts says why "as string".
type CompareOverQueueModule = typeof import("../queue/compare_over_queue.ts");

/** The exit code if a difference does not come back, or a driver differs from itself. */
const UNSURE = 3;

/**
 * Compares two drivers on a recording. Returns 0 without a difference, 1 with one, 2 for wrong use or a recording of
 * which nothing can be compared, 3 if a driver is not repeatable, 130 if it was stopped.
 */
export async function compare(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  if (request.values.queue !== undefined) {
    const { compareOverQueue } = await import("../queue/compare_over_queue.ts" as string) as CompareOverQueueModule; // the queue's modules are loaded for this alone
    return await compareOverQueue(request, print, process);
  }
  refuseQueued(request);
  if (request.operands.length > 1) {
    throw new WrongUse("compare: several recordings are compared over a queue: give --queue");
  }
  const path = existing("compare", request.operand!), drivers = driversOf("compare", request), { values } = request;
  const page = pagePath(values.html as string | undefined);
  using progress = new Progress("compare");
  const show = (text: string) => progress.show(text);
  using stop = untilStopped();
  try {
    const comparison = await compareDrivers(path, drivers, {
      signal: stop.signal,
      bisect: values.submission !== true,
      resume: values.resume as string | undefined,
      unsealed: values.unsealed === true,
      steps: await stepsOf("compare", values.steps as string[] | undefined),
      share: scaled("compare", values, "share", 0.01),
      timeout: scaled("compare", values, "timeout", 1000),
      onSubmission: (submission) => show(`submission ${submission}`),
      onCut: ({ actions, of }) => show(`after ${actions} of ${of} commands`),
    });
    show("");
    print(request.json ? JSON.stringify(comparison, withoutContents, 2) : comparisonText(comparison).join("\n"));
    if (page !== undefined) {
      writeReport("--html", page, findingPage(comparison, { recording: path, again: againLine("compare", request) }));
      if (!request.json) print(`wrote ${page}`);
    }
    const { finding } = comparison;
    if (finding) return finding.kind === "unrepeatable" || finding.kind === "differs" && finding.isFlaky ? UNSURE : 1;
    return comparison.submissions === 0 ? 2 : 0;
  } catch (error) {
    show("");
    if (stop.signal.aborted) {
      process.warn("compare: stopped; nothing is known of the submissions that were not compared");
      return STOPPED;
    }
    throw error instanceof TypeError ? new WrongUse(`compare: ${error.message}`) : error;
  }
}

/** The page of a folder, which is made. Throws {@linkcode WrongUse} if there can be no such folder. */
function pagePath(folder: string | undefined): string | undefined {
  if (folder === undefined) return undefined;
  makeFolder("--html", folder);
  const page = `${folder}/finding.html`;
  checkReport("--html", page);
  return page;
}
