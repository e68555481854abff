import { basename } from "node:path";
import { sidecarOf } from "../../workbench/recordings/record/sidecar.ts";
import { filesBelow } from "../../workbench/runs/test/away.ts";
import { retriesOf } from "../test/known.ts";
import { existing, isFolder } from "../../workbench/process/files.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { liveLineHere } from "../../workbench/runs/report/live_line.ts";
import type { RunExecutor, RunListener, RunOutcome, RunVerdict } from "../../workbench/runs/deqp/run_tasks.ts";
import { hashOf } from "../../workbench/runs/test/archive.ts";
import { bring } from "../../workbench/runs/test/home.ts";
import { Arrivals } from "../../workbench/runs/queue/arrivals.ts";
import {
  type AwayCommand,
  COMMAND,
  type CommandDetails,
  type CommandWork,
  inputName,
} from "../../workbench/runs/queue/command_handler.ts";
import type { Requirements } from "../../workbench/runs/queue/messages.ts";
import { joinRun, runOverQueue, startRun } from "../../workbench/runs/queue/over_queue.ts";
import type { QueueRun } from "../../workbench/runs/queue/queue_run.ts";
import { RunStore } from "../../workbench/runs/queue/stores.ts";
import type { Request } from "../command.ts";
import { patienceOf } from "./command.ts";
import type { QueueHere } from "./with_queue.ts";

/** One command line of a run. */
export interface Piece {
  /** Identifies the command line within the run, for people, too. */
  readonly key: string;
  /** The number of the requirements on its worker. */
  readonly group: number;
  readonly work: CommandWork;
  /** The folder here for the files that the command writes; absent if they are not wanted. */
  readonly home?: string;
}

/** A run of one command with several command lines. */
export interface CommandRun {
  readonly command: AwayCommand;
  readonly groups: readonly Requirements[];
  readonly pieces: readonly Piece[];
  readonly inputs?: Inputs;
  /** A run that goes on. */
  readonly join?: string;
  /** Whether the run is left when it is queued. */
  readonly isLeft?: boolean;
}

type Executor = RunExecutor<CommandWork, CommandDetails>;

/** Files for the workers, each once. */
export class Inputs {
  readonly #files = new Map<string, string>();

  /** Adds a recording with its contents. Returns the hashes of its files by their names on the worker. */
  async addRecording(command: string, path: string): Promise<Record<string, string>> {
    const file = existing(command, path),
      sidecar = sidecarOf(path),
      contents = isFolder(sidecar) ? filesBelow(sidecar) : [];
    const named = [file, ...contents].map((each) => [basename(path) + each.slice(path.length), each] as const);
    return Object.fromEntries(await Promise.all(named.map(async ([name, each]) => [name, await this.#add(each)])));
  }

  /** Adds a file. Returns its hash. */
  async #add(path: string): Promise<string> {
    const hash = await hashOf(await Deno.readFile(path));
    this.#files.set(hash, path);
    return hash;
  }

  /** Stores the files for the workers of a run. */
  async store(store: RunStore): Promise<void> {
    await store.make();
    for (const [hash, path] of this.#files) await store.put(inputName(hash), await Deno.readFile(path));
  }
}

/**
 * Runs command lines on the workers of a queue. The results have the reports, and the files are at home. Returns
 * `undefined` if the run was left.
 */
export async function runCommands(
  { queue, seal, signal, warn, progress }: QueueHere,
  request: Request,
  run: CommandRun,
  settled: RunListener<CommandDetails>["settled"] = () => {},
): Promise<RunOutcome<CommandDetails> | undefined> {
  const { command, pieces, join, isLeft } = run, byKey = new Map(pieces.map((piece) => [piece.key, piece]));
  const there = join === undefined ? await started(queue, request, { ...run, seal }) : await joinRun(queue, join, seal);
  using live = liveLineHere(command, pieces.length, progress);
  const tasks = pieces.map(({ key, work }) => ({ key, work }));
  const groupOf = ({ key }: { readonly key: string }) => byKey.get(key)!.group;
  const around = comingHome(new RunStore(queue, there.name), (key) => byKey.get(key)?.home);
  return await runOverQueue(
    there,
    tasks,
    { groupOf, size: 1, around, isLeft, warn },
    { retries: retriesOf(request), signal },
    {
      started: (key, where) => live.started(key, where),
      settled(result, worker) {
        live.clear();
        settled(result, worker);
        live.settled(result, worker);
      },
    },
  );
}

async function started(
  queue: QueueHere["queue"],
  request: Request,
  { command, groups, seal, inputs = new Inputs() }: CommandRun & Pick<QueueHere, "seal">,
): Promise<QueueRun> {
  const how = { retries: retriesOf(request), patience: patienceOf(request), seal };
  const run = await startRun(queue, { kind: COMMAND, common: { command }, groups, ...how });
  try {
    await inputs.store(new RunStore(queue, run.name));
    return run;
  } catch (error) {
    await run.end();
    throw error;
  }
}

/** Adds long reports and files, which workers store beside their verdicts. */
function comingHome(store: RunStore, homeOf: (key: string) => string | undefined): (executor: Executor) => Executor {
  return (executor) => ({
    async execute(tasks, events) {
      const arrivals = new Arrivals();
      await executor.execute(tasks, {
        ...events,
        ended: (verdict, where) => {
          arrivals.add(async () => events.ended(await broughtHome(verdict, store, homeOf(verdict.name)), where));
        },
      });
      await arrivals.end();
    },
  });
}

async function broughtHome(
  { details, ...verdict }: RunVerdict<CommandDetails>,
  store: RunStore,
  home: string | undefined,
): Promise<RunVerdict<CommandDetails>> {
  if (!details) return verdict;
  const { stored, files } = details, fetch = (name: string) => store.get(name);
  try {
    if (home !== undefined) { for (const file of files) await bring(file, home, fetch); }
    if (stored === undefined) return { ...verdict, details };
    const bytes = await fetch(stored);
    if (!bytes) throw new Error("the queue has lost the report");
    return { ...verdict, details: { ...details, report: JSON.parse(new TextDecoder().decode(bytes)) } };
  } catch (error) {
    return { ...verdict, status: "InternalError", message: (error as Error).message, isFinal: false };
  }
}

/** The words of options that were given, for the command line of a worker. */
export function wordsOf({ values }: Request, names: readonly string[]): string[] {
  return names.flatMap((name) =>
    [values[name]].flat().flatMap((value) => value === undefined || value === false ? [] : wordOf(name, value))
  );
}

function wordOf(name: string, value: string | boolean): string {
  return value === true ? `--${name}` : `--${name}=${value}`;
}

/** Refuses options that mean nothing on the workers. */
export function refuseWithQueue(command: string, { values }: Request, why: Readonly<Record<string, string>>): void {
  for (const [name, reason] of Object.entries(why)) {
    if (values[name] !== undefined) throw new WrongUse(`${command}: --${name} with --queue: ${reason}`);
  }
}

/** Sentences about command lines that have no report: nothing is known of what they were to find. */
export function unfinished({ results }: RunOutcome<CommandDetails>): string[] {
  return results.filter(({ details }) => details?.report === undefined)
    .map(({ name, status, message }) => `not done: ${name}: ${message || status}`);
}
