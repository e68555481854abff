import { type CheckReport, VERDICT_WORDS } from "../../workbench/check/report.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { STOPPED } from "../../workbench/process/stop.ts";
import type { RunOutcome } from "../../workbench/runs/deqp/run_tasks.ts";
import type { CommandDetails } from "../../workbench/runs/queue/command_handler.ts";
import type { Process, Request } from "../command.ts";
import { refuseWithQueue, runCommands, unfinished, wordsOf } from "./commands_over_queue.ts";
import { wantedDrivers } from "./drivers.ts";
import { withQueue } from "./with_queue.ts";

/** Options that reach the workers as they are. */
const PASSED = ["release", "launch", "low-memory", "timeout", "deqp-level"];
const MEANINGLESS = {
  only: "workers check their Vulkan drivers",
  "egl-driver": "workers check their Vulkan drivers",
  composer: "workers check their Vulkan drivers",
  contexts: "workers check their Vulkan drivers",
  "gles-deqp-level": "workers check their Vulkan drivers",
  profile: "the file is not on the workers",
  twin: "the file is not on the workers",
  emit: "a device tree is written for one driver",
  verify: "a device tree is compared with one driver",
  junit: "give --json",
  html: "give --json",
  markdown: "give --json",
  failures: "give --json",
};

/** Checks Vulkan drivers of the workers of a queue, and prints a line for each. Returns the exit codes of a local run. */
export function checkOverQueue(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  refuseWithQueue("check", request, MEANINGLESS);
  if (request.drivers.length > 0) {
    throw new WrongUse("check: --driver: the workers of a queue have the drivers; give --for=driver=NAME");
  }
  return withQueue("check", request, process, async (here) => {
    const { names, others } = await wantedDrivers(here.queue, request),
      words = ["--only=vulkan", ...wordsOf(request, PASSED)];
    const pieces = names.map((name, group) => ({ key: name, group, work: { words, drivers: [name], files: {} } }));
    const groups = names.map((driver) => ({ ...others, driver })), { join, leave } = request.values;
    const run = { command: "check", groups, pieces, join: join as string, isLeft: leave as boolean } as const;
    const outcome = await runCommands(here, request, run);
    if (!outcome) return 0;
    const undone = unfinished(outcome);
    print(request.json ? JSON.stringify({ drivers: reports(outcome), undone }, null, 2) : text(outcome, undone));
    if (here.signal.aborted) return STOPPED;
    return undone.length > 0 ? 2 : Number(outcome.results.some(({ details }) => details!.code !== 0));
  });
}

function reports({ results }: RunOutcome<CommandDetails>): Record<string, unknown> {
  return Object.fromEntries(results.map(({ name, details }) => [name, details?.report ?? null]));
}

function text({ results }: RunOutcome<CommandDetails>, undone: readonly string[]): string {
  const lines = results.filter(({ details }) => details).flatMap(({ name, details }) => {
    const { parts, good } = details!.report as CheckReport;
    return [`${name}: ${good ? "good" : "not good"}`, ...parts.flatMap(({ verdicts }) => failures(verdicts))];
  });
  return [...lines, ...undone].join("\n");
}

function failures(verdicts: CheckReport["parts"][number]["verdicts"]): string[] {
  return verdicts.filter(({ status }) => status === "fail")
    .map(({ rule, found }) => `  ${VERDICT_WORDS.fail}: ${rule}; found ${found}`);
}
