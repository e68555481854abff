import { DEQP_RULES } from "./options.ts";
import { checkOptions } from "../../../ffi/check_options.ts";
import { deqpExecutor } from "./executor.ts";
import type { DeqpOptions, DeqpPart, DeqpParts, DeqpRun } from "./options.ts";
import type { DeqpStatus } from "./status.ts";
import { temporaryFolder } from "../../../loader/temporary_folder.ts";
import { type RunRules, runTasks } from "./run_tasks.ts";

const RETRIES = 1;

/**
 * Runs dEQP, or a program that behaves like it, on a list of cases, in several
 * processes at a time. Each process gets groups of cases. A process that dies,
 * hangs, or loses its device, costs only the case that was running; another
 * process runs the rest. Cases that fail unexpectedly are run again, alone.
 *
 * @throws {TypeError} if there is no program, a name is no case, or a number makes no sense.
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
  return await runParts({ ...options, parts: [options] });
}

/**
 * Runs the parts of a suite as {@linkcode runDeqp} runs its cases.
 *
 * @throws {TypeError} as `runDeqp()` does, and for a case that two parts have under one name.
 * @throws {Deno.errors.NotFound} if a program does not exist.
 */
export async function runParts({ parts, shards, retries = RETRIES, signal, ...listener }: DeqpParts): Promise<DeqpRun> {
  for (const part of parts) check({ ...part, shards, retries });
  const tasks = parts.flatMap((part, work) =>
    [...new Set(part.caseList)].map((name) => ({ key: `${part.prefix ?? ""}${name}`, work }))
  );
  const partOf = new Map<string, DeqpPart>();
  for (const { key, work } of tasks) {
    if (partOf.has(key)) throw new TypeError(`Two parts have the case ${key}: give one of them a prefix of its own`);
    partOf.set(key, parts[work]);
  }
  using folder = temporaryFolder("deqp");
  return await runTasks(tasks, deqpExecutor(parts, folder.path, shards), { ...rulesOf(partOf), retries, signal }, {
    started: (name, shard) => listener.onStart?.(name, Number(shard)),
    settled: (result) => listener.onResult?.(result),
  });
}

/** Each case is judged by what is known of its part. */
function rulesOf(partOf: ReadonlyMap<string, DeqpPart>): Pick<RunRules, "baseline" | "flakes" | "skips"> {
  const known = [...partOf].map(([key, { baseline }]) => [key, baseline?.get(key)] as const);
  return {
    baseline: new Map(known.filter((each): each is [string, DeqpStatus] => each[1] !== undefined)),
    flakes: (name) => partOf.get(name)?.flakes?.(name) ?? false,
    skips: (name) => partOf.get(name)?.skips?.(name) ?? false,
  };
}

function check({ command, caseList, shards = 1, groupSize = 1, retries = 0, timeout = 1 }: DeqpOptions): void {
  if (command.length === 0 || command[0] === "") {
    throw new TypeError("Cannot run dEQP without a command: give its path");
  }
  const odd = caseList.find((name) => /^\s*(?:#|$)|[\r\n]/.test(name));
  if (odd !== undefined) {
    throw new TypeError(
      `Cannot run ${
        JSON.stringify(odd)
      } as a case: give names alone; readCaseList() leaves out comments and empty lines`,
    );
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
