import { DEQP_RULES } from "./options.ts";
import { checkOptions } from "../../ffi/check_options.ts";
import { isTriedAgain, judge, runOf } from "./judge.ts";
import type { DeqpOptions, DeqpRun } from "./options.ts";
import { runProcess } from "./process.ts";
import type { DeqpCase } from "./status.ts";

const GROUP = 500, RETRIES = 1;
/** How many times in a row a process may end before it reports a case. */
const FALSE_STARTS = 2;

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
  return await runDeqpBelow(undefined, options);
}

/** The same; the temporary folder is below `dir`. */
export async function runDeqpBelow(dir: string | undefined, options: DeqpOptions): Promise<DeqpRun> {
  checkOptions("runDeqp()", options, DEQP_RULES);
  check(options);
  const folder = Deno.makeTempDirSync({ prefix: "pumice-deqp-", dir });
  try {
    return await new Runner(options, folder).run();
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
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

class Runner {
  readonly #options: DeqpOptions;
  readonly #folder: string;
  readonly #attempts = new Map<string, DeqpCase[]>();

  constructor(options: DeqpOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
  }

  async run(): Promise<DeqpRun> {
    const { skips = () => false, retries = RETRIES } = this.#options, names = [...new Set(this.#options.caseList)];
    for (const name of names) this.#attempts.set(name, skips(name) ? [{ name, status: "Skip", message: "" }] : []);
    const wanted = names.filter((name) => this.#attempts.get(name)!.length === 0);
    await this.#inShards(groupsOf(wanted, this.#groupSize(wanted.length)));
    for (let again = 0; again < retries; again++) await this.#inShards(this.#failed().map((name) => [name]));
    const results = names.map((name) => judge(name, this.#attempts.get(name)!, this.#options));
    return runOf(results);
  }

  /** Small enough for every shard to have work. */
  #groupSize(count: number): number {
    return Math.max(1, Math.min(this.#options.groupSize ?? GROUP, Math.ceil(count / this.#shards())));
  }

  #shards(): number {
    return this.#options.shards ?? navigator.hardwareConcurrency;
  }

  #failed(): string[] {
    const last = [...this.#attempts.values()].map((attempts) => attempts.at(-1)).filter((each) => each !== undefined);
    return last.filter((each) => isTriedAgain(each, this.#options)).map(({ name }) => name);
  }

  /** Each shard takes the next group when it has finished one. */
  async #inShards(groups: string[][]): Promise<void> {
    const shard = async (_: unknown, number: number) => {
      const folder = `${this.#folder}/${number}`;
      Deno.mkdirSync(folder, { recursive: true });
      for (let group = groups.shift(); group; group = groups.shift()) {
        await this.#runGroup(group, { folder, shard: number });
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.#shards(), groups.length) }, shard));
  }

  /** Runs one process after another until all cases have results. */
  async #runGroup(group: readonly string[], place: { folder: string; shard: number }): Promise<void> {
    let left = [...group], falseStarts = 0, end = "aborted";
    while (left.length > 0 && falseStarts < FALSE_STARTS && !this.#options.signal?.aborted) {
      const outcome = await runProcess(this.#options, left, place);
      const settled = new Set(outcome.results.map(({ name }) => name));
      for (const result of outcome.results) this.#note(result);
      left = left.filter((name) => !settled.has(name));
      end = outcome.end;
      if (outcome.isDone) break;
      falseStarts = settled.size === 0 ? falseStarts + 1 : 0;
    }
    for (const name of left) this.#note({ name, status: "Missing", message: `nothing was said of it; ${end}` });
  }

  #note(result: DeqpCase): void {
    const attempts = this.#attempts.get(result.name)!;
    attempts.push(result);
    if (!isTriedAgain(result, this.#options) || attempts.length > (this.#options.retries ?? RETRIES)) {
      this.#options.onResult?.(judge(result.name, attempts, this.#options));
    }
  }
}

function groupsOf(names: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(names.length / size) }, (_, at) => names.slice(at * size, (at + 1) * size));
}
