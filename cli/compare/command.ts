import { compareDrivers, comparisonText } from "../../compare/mod.ts";
import { RecordingError } from "../../loader/layers.ts";
import type { Process, Request } from "../command.ts";
import { existing } from "../files.ts";
import { driversOf, scaled, showProgress, stepsOf, withoutContents } from "./arguments.ts";

/** Compares two drivers on a recording. Returns 0 without a difference, 1 with one, 2 for wrong use. */
export async function compare(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  const path = existing("compare", request.operand!), drivers = driversOf("compare", request), { values } = request;
  const isForPeople = Deno.stderr.isTerminal(), show = (text: string) => isForPeople && showProgress(text);
  try {
    const comparison = await compareDrivers(path, drivers, {
      bisect: values.submission !== true,
      unsealed: values.unsealed === true,
      steps: await stepsOf("compare", values.steps as string[] | undefined),
      share: scaled("compare", values, "share", 0.01),
      timeout: scaled("compare", values, "timeout", 1000),
      onSubmission: (submission) => show(`submission ${submission}`),
      onCut: ({ actions, of }) => show(`after ${actions} of ${of} commands`),
    });
    show("");
    print(request.json ? JSON.stringify(comparison, withoutContents, 2) : comparisonText(comparison).join("\n"));
    return comparison.finding ? 1 : 0;
  } catch (error) {
    show("");
    if (!(error instanceof RecordingError || error instanceof TypeError)) throw error;
    process.warn(`compare: ${error.message}`);
    return 2;
  }
}
