import { named } from "../../workbench/runs/testing/find_drivers.ts";
import type { NamedDriver } from "../../workbench/runs/testing/options.ts";
import { updatesGoldens } from "../../workbench/runs/testing/places.ts";
import { factsOf } from "../../workbench/runs/testing/probe.ts";
import type { Process, Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { existing } from "../../workbench/process/files.ts";
import { knownOf, retriesOf, wholeNumber } from "./known.ts";
import type { RunRules } from "../../workbench/runs/deqp/run_tasks.ts";
import { testFiles } from "../../workbench/runs/test/files.ts";
import { type Plan, plan, type Planned } from "../../workbench/runs/test/plan.ts";

/** A part of the tasks: the first number of the second, from 1. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** A parsed command line of `test`. */
export interface TestRequest extends RunRules {
  /** The absolute paths of the files. */
  readonly files: readonly string[];
  /** The drivers of `--driver`; absent without the option. */
  readonly drivers?: readonly NamedDriver[];
  /** The part of the tasks to run. */
  readonly shard?: Shard;
  /** Whether a result of this name is wanted. */
  readonly filter: (key: string) => boolean;
  /** Tests that run at a time. */
  readonly jobs: number;
  /** Milliseconds for a test without a timeout of its own. */
  readonly timeout?: number;
}

/** Reads the options. Throws {@linkcode WrongUse} for an invalid option or an unreadable file. */
export function testRequest(request: Request): TestRequest {
  const text = (name: string) => request.values[name] as string | undefined;
  const seconds = wholeNumber("--timeout", text("timeout"), 1), { drivers } = request;
  refuseOddUpdate();
  return {
    files: testFiles(request.operands),
    ...drivers.length > 0 && { drivers: named(drivers.map(checked)) },
    shard: shardOf(text("shard")),
    filter: filterOf(text("filter")),
    jobs: wholeNumber("--jobs", text("jobs"), 1) ?? 1,
    timeout: seconds === undefined ? undefined : 1000 * seconds,
    retries: retriesOf(request),
    bail: request.values.bail === true,
    ...knownOf(request),
  };
}

/** Refuses a value of PUMICE_UPDATE_GOLDENS that every test would refuse. */
function refuseOddUpdate(): void {
  try {
    updatesGoldens();
  } catch (error) {
    throw new WrongUse(`test: ${(error as Error).message}`);
  }
}

/** Throws {@linkcode WrongUse} for a driver of the command line that no test could run on. */
export function checkDrivers(drivers: readonly NamedDriver[], file: string): void {
  for (const driver of drivers) {
    const facts = factsOf(file, driver, drivers);
    if (facts && facts.devices.length === 0) {
      throw new WrongUse(
        `--driver: ${driver.name} has no device here; name a driver that ${"`explain`"} lists as taken`,
      );
    }
  }
}

/** Every task whose turn it is: each shard gets every n-th task, so that long files are shared. */
export function inShard<Task>(tasks: readonly Task[], shard: Shard | undefined): readonly Task[] {
  return shard ? tasks.filter((_, at) => at % shard.of === shard.index - 1) : tasks;
}

/** A path that leads nowhere would fail every test. A name without a folder is looked for by the system. */
function checked(path: string): string {
  return path.includes("/") ? existing("--driver", path) : path;
}

function shardOf(text: string | undefined): Shard | undefined {
  if (text === undefined) return undefined;
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(text)?.map(Number) ?? [];
  if (index >= 1 && index <= of) return { index, of };
  throw new WrongUse(`--shard: "${text}" is no part; give such as 1/4 for the first quarter`);
}

/** A text that names contain, or a regular expression between slashes, as `deno test` has it. */
function filterOf(text: string | undefined): (key: string) => boolean {
  if (text === undefined) return () => true;
  const [, source] = /^\/(.*)\/$/.exec(text) ?? [];
  if (source === undefined) return (key) => key.includes(text);
  try {
    const pattern = new RegExp(source);
    return (key) => pattern.test(key);
  } catch (error) {
    throw new WrongUse(`--filter: ${(error as Error).message}`);
  }
}

/** The tasks of this part of the run. Throws {@linkcode WrongUse} if there are none. */
export async function planned(wanted: TestRequest, how: Plan, { warn }: Process): Promise<Planned["tasks"]> {
  const { tasks, notes } = await plan(how), chosen = tasks.filter(({ key }) => wanted.filter(key));
  if (chosen.length === 0 && !how.signal.aborted) {
    const why = tasks.length > 0 ? "--filter leaves no test" : "found no test to run";
    throw new WrongUse(["test: " + why, ...notes].join("\n  "));
  }
  for (const each of notes) warn(each);
  return inShard(chosen, wanted.shard);
}
