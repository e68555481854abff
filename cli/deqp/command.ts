import { diffDeqp, diffText } from "../../workbench/runs/deqp/diff.ts";
import { levelText, obligedLists } from "../../workbench/runs/deqp/obligations.ts";
import type { Process, Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { readResults, refuseQueued } from "../test/known.ts";
import { isFine } from "./reports.ts";
import { isSuite } from "./request.ts";
import { runHere } from "./run_here.ts";

type Print = (text: string) => void;

/** Runs, compares or lists cases, as the options say, and returns the exit code. */
export function deqp(request: Request, print: Print, process: Process): number | Promise<number> {
  const { command, compare, level, queue } = request.values;
  if (queue !== undefined) return runOverQueue(request, print, process);
  refuseQueued(request);
  if (command !== undefined || isSuite(request.operand)) return runHere(request, print);
  if (compare !== undefined) return compareFiles(request, print);
  if (level !== undefined) return tellObligations(request, print);
  throw new WrongUse("deqp: give --command or a suite to run cases, --compare to compare runs, or --level");
}

/** The modules of the queue are loaded for this alone. */
async function runOverQueue(request: Request, print: Print, process: Process): Promise<number> {
  const { deqpOverQueue } = await import("../queue/deqp_over_queue.ts");
  return await deqpOverQueue(request, print, process);
}

function compareFiles({ operand, values: { compare }, json }: Request, print: Print): number {
  if (operand === undefined) {
    throw new WrongUse("deqp: LIST is missing: name the file of results to compare with --compare");
  }
  const diff = diffDeqp(readResults("--compare", compare as string), readResults("deqp", operand));
  print(json ? JSON.stringify(diff, null, 2) : diffText(diff));
  return isFine(diff) ? 0 : 1;
}

function tellObligations({ values, json }: Request, print: Print): number {
  const level = values.level as string;
  try {
    const vulkan = obligedLists("vulkan", level), opengles = obligedLists("opengles", level);
    if (json) print(JSON.stringify({ level, vulkan, opengles }, null, 2));
    else {print([
        `Level ${levelText(level)} obliges to pass`,
        ...[...vulkan, ...opengles].map((each) => `  ${each}`),
      ].join("\n"));}
    return 0;
  } catch (error) {
    throw new WrongUse(`--level: ${(error as Error).message}`);
  }
}
