import { DEQP_RULES } from "./options.ts";
import { checkOptions } from "../../../ffi/check_options.ts";
import { deqpExecutor } from "./executor.ts";
import type { DeqpOptions, DeqpRun } from "./options.ts";
import { temporaryFolder } from "../../../loader/temporary_folder.ts";
import { runTasks } from "./run_tasks.ts";

const RETRIES = 1;

/**
 * Runs dEQP, or a program that behaves like it, on a list of cases, in several
 * processes at a time. Each process gets groups of cases. A process that dies,
 * hangs, or loses its device, costs only the case that was running; another
 * process runs the rest. Cases that fail unexpectedly are run again, alone.
 *
 * @throws {TypeError} if there is no program, or a number makes no sense.
 * @throws {Deno.errors.NotFound} if the program does not exist.
 *
 * @example
 * ```ts ignore
 * import { parsePatterns, readCaseList, runDeqp } from "@pumice/gfx/check";
 *
 * const run = await runDeqp({
 *   command: ["./deqp-vk", "--deqp-log-images=disable"],
 *   caseList: readCaseList("vk-main-2022-03-01.txt"),
 *   flakes: parsePatterns(Deno.readTextFileSync("flakes.txt")),
 *   shards: 4,
 * });
 * console.log(run.counts, run.isGood);
 * ```
 */
export async function runDeqp(options: DeqpOptions): Promise<DeqpRun> {
  checkOptions("runDeqp()", options, DEQP_RULES);
  check(options);
  const { caseList, retries = RETRIES, onStart, onResult } = options;
  const tasks = [...new Set(caseList)].map((key) => ({ key, work: undefined }));
  using folder = temporaryFolder("deqp");
  return await runTasks(tasks, deqpExecutor(options, folder.path), { ...options, retries }, {
    started: (name, shard) => onStart?.(name, Number(shard)),
    settled: (result) => onResult?.(result),
  });
}

function check({ command, shards = 1, groupSize = 1, retries = 0, timeout = 1 }: DeqpOptions): void {
  if (command.length === 0 || command[0] === "") {
    throw new TypeError("Cannot run dEQP without a command: give its path");
  }
  for (
    const [name, value, least] of [["shards", shards, 1], ["groupSize", groupSize, 1], ["retries", retries, 0]] as const
  ) {
    if (!Number.isInteger(value) || value < least) {
      throw new TypeError(`Cannot run dEQP with ${value} for ${name}: give a whole number of ${least} or more`);
    }
  }
  if (!(timeout > 0)) throw new TypeError(`Cannot run dEQP with a timeout of ${timeout} ms: give more than 0`);
}
