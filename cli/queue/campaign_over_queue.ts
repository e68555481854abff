import type { FuzzOutcome, FuzzRun } from "../../workbench/programs/campaign/fuzz.ts";
import type { KeptFinding, KeptFindings } from "../../workbench/programs/campaign/kept_findings.ts";
import { blocksOf, type Seeds } from "../../workbench/programs/campaign/seeds.ts";
import type { RunResult } from "../../workbench/runs/deqp/run_tasks.ts";
import { type CommandDetails, FOLDER } from "../../workbench/runs/queue/command_handler.ts";
import type { Request } from "../command.ts";
import { type Piece, runCommands, unfinished, wordsOf } from "./commands_over_queue.ts";
import type { DriverPair } from "./drivers.ts";
import type { QueueHere } from "./with_queue.ts";

/** Programs that a worker tries before it reports. */
const BLOCK = 20;
/** Options that reach the workers as they are. Layers are files of the workers' machines. */
const TRYING = ["actions", "only", "timeout", "layer-a", "layer-b"];
const REDUCING = [...TRYING, "validation", "reduce-seconds"];

/** The campaign of a command line. */
export interface Campaign {
  readonly request: Request;
  readonly run: Pick<FuzzRun, "seed" | "programs" | "out" | "reduces">;
  readonly pairs: readonly DriverPair[];
  readonly kept: KeptFindings;
}

/** The counts and sentences of a campaign's run. */
export interface CampaignOutcome {
  readonly programs: number;
  /** Sentences about programs of which nothing is known. */
  readonly undone: string[];
}

/** Programs of a pair that a worker tries together. */
interface Block extends Piece {
  readonly drivers: readonly [string, string];
  readonly seeds: Seeds;
}

/**
 * Runs a campaign's next programs on the workers of a queue, makes the first program of each new difference smaller,
 * and keeps both. Returns `undefined` if the run was left.
 */
export async function campaignOverQueue(here: QueueHere, campaign: Campaign): Promise<CampaignOutcome | undefined> {
  const { run, kept } = campaign, outcome = await tried(here, campaign);
  if (!outcome) return undefined;
  kept.write(); // making programs smaller may take hours
  if (run.out === undefined || !run.reduces || here.signal.aborted) return outcome;
  const undone = await reduced(here, campaign);
  kept.write();
  return { ...outcome, undone: [...outcome.undone, ...undone] };
}

/** Tries the seeds that are next. Returns `undefined` if the run was left. */
async function tried(here: QueueHere, campaign: Campaign): Promise<CampaignOutcome | undefined> {
  const { request, pairs, kept } = campaign, pieces = pairs.flatMap((pair, group) => piecesOf(pair, group, campaign));
  const byKey = new Map(pieces.map((piece) => [piece.key, piece]));
  let programs = 0;
  const { join, leave } = request.values as { join?: string; leave?: boolean };
  const all = { command: "fuzz", groups: pairs.map(({ group }) => group), pieces, join, isLeft: leave } as const;
  const settled = ({ name, details }: RunResult<CommandDetails>) => {
    const report = details?.report as FuzzOutcome | undefined, { drivers } = byKey.get(name)!;
    programs += report?.programs ?? 0;
    for (const each of report?.findings ?? []) tell(here, kept.add(drivers, each));
  };
  const outcome = await runCommands(here, request, all, settled);
  if (!outcome) return undefined;
  const left = new Set(outcome.results.filter(({ details }) => details?.report === undefined).map(({ name }) => name));
  for (const { drivers } of pairs) {
    const own = pieces.filter((piece) => piece.drivers === drivers), undone = own.filter(({ key }) => left.has(key));
    kept.tried(drivers, own.map(({ seeds }) => seeds), undone.map(({ seeds }) => seeds));
  }
  return { programs, undone: unfinished(outcome) };
}

function tell({ warn }: QueueHere, finding: KeptFinding | undefined): void {
  if (finding) warn(`fuzz: new on ${finding.drivers.join(" and ")}: ${finding.signature}${seedText(finding)}`);
}

/** The seed of a finding in words that follow others. */
export function seedText({ seed }: KeptFinding): string {
  return seed === undefined ? "" : `; seed ${seed}`;
}

function piecesOf({ drivers }: DriverPair, group: number, { request, run, kept }: Campaign): Block[] {
  const { seed, programs } = run, words = [...wordsOf(request, TRYING), "--no-reduce"];
  const all = request.values.seed === undefined ? kept.wanted(drivers, programs) : [{ first: seed, count: programs }];
  return blocksOf(all, BLOCK).map((seeds) => {
    const { first, count } = seeds, key = `${drivers.join(" and ")}: seeds ${first} to ${first + count - 1}`;
    const work = { words: [`--seed=${first}`, `--programs=${count}`, ...words], drivers, files: {} };
    return { key, group, work, drivers, seeds };
  });
}

/** Makes the first program of each new difference smaller, on any worker with the drivers. Returns what was not done. */
async function reduced(here: QueueHere, { request, run, pairs, kept }: Campaign): Promise<string[]> {
  const wanted = new Map<string, KeptFinding>();
  const pieces = kept.fresh.flatMap((finding): Piece[] => {
    const { drivers, seed } = finding, group = pairs.findIndex((pair) => pair.drivers === drivers);
    const key = `making smaller: ${drivers.join(" and ")}: seed ${seed}`;
    if (seed === undefined || wanted.has(key)) return [];
    wanted.set(key, finding);
    const words = [`--seed=${seed}`, "--programs=1", `--out=${FOLDER}/out`, ...wordsOf(request, REDUCING)];
    return [{ key, group, work: { words, drivers, files: {} }, home: `${run.out}/${drivers.join("-")}` }];
  });
  if (pieces.length === 0) return [];
  const all = { command: "fuzz", groups: pairs.map(({ group }) => group), pieces } as const;
  const outcome = await runCommands(here, request, all, ({ name, details }) => {
    const finding = wanted.get(name)!;
    finding.files = details?.files.map((file) => `${finding.drivers.join("-")}/${file.name}`);
  });
  return unfinished(outcome!);
}
