import { STOPPED } from "../../workbench/process/stop.ts";
import { outFolder } from "../../workbench/programs/campaign/findings.ts";
import type { FuzzOutcome, FuzzRun } from "../../workbench/programs/campaign/fuzz.ts";
import { type KeptFinding, KeptFindings } from "../../workbench/programs/campaign/kept_findings.ts";
import type { RunResult } from "../../workbench/runs/deqp/run_tasks.ts";
import { type CommandDetails, FOLDER } from "../../workbench/runs/queue/command_handler.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import type { Process, Request } from "../command.ts";
import { type Piece, refuseWithQueue, runCommands, unfinished, wordsOf } from "./commands_over_queue.ts";
import { type DriverPair, wantedPairs } from "./drivers.ts";
import { type QueueHere, withQueue } from "./with_queue.ts";

/** Programs that a worker tries before it reports. */
const BLOCK = 20;
/** Options that reach the workers as they are. Layers are files of the workers' machines. */
const TRYING = ["actions", "only", "timeout", "layer-a", "layer-b"];
const REDUCING = [...TRYING, "validation", "reduce-seconds"];
const MEANINGLESS = {
  seconds: "a run over a queue ends after --programs",
  known: "give --out, which keeps what was found",
};

/** The campaign of a command line. */
interface Campaign {
  readonly request: Request;
  readonly run: FuzzRun;
  readonly pairs: readonly DriverPair[];
  readonly kept: KeptFindings;
}

/** The counts and sentences of a campaign's run. */
interface CampaignOutcome {
  readonly programs: number;
  /** Sentences about programs of which nothing is known. */
  readonly undone: string[];
}

/**
 * Fuzzes pairs of drivers on the workers of a queue. The differences that all workers find are told once, and `--out`
 * keeps them over runs: the next run goes on with the next seeds. Returns the exit codes of a local run.
 */
export function fuzzOverQueue(
  request: Request,
  run: FuzzRun,
  print: (text: string) => void,
  process: Process,
): Promise<number> {
  refuseWithQueue("fuzz", request, MEANINGLESS);
  if (request.values.programs === undefined) {
    throw new WrongUse("fuzz: --queue needs --programs, the programs of a run");
  }
  const pairs = wantedPairs("fuzz", request);
  return withQueue("fuzz", request, process, async (here) => {
    using _out = run.out === undefined ? undefined : outFolder(run.out);
    const campaign = { request, run, pairs, kept: new KeptFindings(run.out) }, outcome = await tried(here, campaign);
    if (!outcome) return 0;
    if (run.out !== undefined && run.reduces && !here.signal.aborted) {
      outcome.undone.push(...await reduced(here, campaign));
    }
    campaign.kept.write();
    print(
      request.json ? JSON.stringify({ ...outcome, findings: campaign.kept.fresh }, null, 2) : text(outcome, campaign),
    );
    if (here.signal.aborted) return STOPPED;
    return outcome.undone.length > 0 ? 2 : Number(campaign.kept.fresh.length > 0);
  });
}

/** Tries the seeds that are next. Returns `undefined` if the run was left. */
async function tried(here: QueueHere, campaign: Campaign): Promise<CampaignOutcome | undefined> {
  const { request, run, pairs, kept } = campaign,
    pieces = pairs.flatMap((pair, group) => blocksOf(pair, group, campaign));
  const groupOf = new Map(pieces.map(({ key, group }) => [key, group]));
  let programs = 0;
  const { join, leave } = request.values as { join?: string; leave?: boolean };
  const all = { command: "fuzz", groups: pairs.map(({ group }) => group), pieces, join, isLeft: leave } as const;
  const settled = ({ name, details }: RunResult<CommandDetails>) => {
    const report = details?.report as FuzzOutcome | undefined, { drivers } = pairs[groupOf.get(name)!];
    programs += report?.programs ?? 0;
    for (const each of report?.findings ?? []) tell(here, kept.add(drivers, each));
  };
  const outcome = await runCommands(here, request, all, settled);
  if (!outcome) return undefined;
  const undone = unfinished(outcome);
  for (const { drivers } of pairs) {
    if (undone.length === 0) kept.tried(drivers, firstSeed(drivers, campaign) + run.programs);
  }
  return { programs, undone };
}

function tell({ warn }: QueueHere, finding: KeptFinding | undefined): void {
  if (finding) warn(`fuzz: new on ${finding.drivers.join(" and ")}: ${finding.signature}${seedText(finding)}`);
}

function seedText({ seed }: KeptFinding): string {
  return seed === undefined ? "" : `; seed ${seed}`;
}

function firstSeed(drivers: readonly [string, string], { request, run, kept }: Campaign): number {
  return request.values.seed === undefined ? kept.next(drivers) : run.seed;
}

function blocksOf({ drivers }: DriverPair, group: number, campaign: Campaign): Piece[] {
  const { programs } = campaign.run, first = firstSeed(drivers, campaign);
  const words = [...wordsOf(campaign.request, TRYING), "--no-reduce"];
  return Array.from({ length: Math.ceil(programs / BLOCK) }, (_, block) => {
    const seed = first + block * BLOCK, count = Math.min(BLOCK, programs - block * BLOCK);
    const key = `${drivers.join(" and ")}: seeds ${seed} to ${seed + count - 1}`;
    const work = { words: [`--seed=${seed}`, `--programs=${count}`, ...words], drivers, files: {} };
    return { key, group, work };
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

function text({ programs, undone }: CampaignOutcome, { kept, pairs, run }: Campaign): string {
  const { fresh, earlier } = kept, old = earlier > 0 ? `, ${earlier} known from earlier runs` : "";
  const next = pairs.map(({ drivers }) => `${drivers.join(" and ")} go on at seed ${kept.next(drivers)}`).join(", ");
  return [
    `${programs} programs, ${fresh.length === 0 ? "no new difference" : `${fresh.length} new`}${old}`,
    ...undone,
    ...run.out === undefined ? [] : [`${run.out}/campaign.json: ${next}`],
    ...fresh.flatMap((finding) => ["", ...findingText(finding, run)]),
  ].join("\n");
}

function findingText(finding: KeptFinding, { out }: FuzzRun): string[] {
  const { drivers, signature, count, files } = finding, isGone = files?.length === 0;
  const whole = (files ?? []).filter((name) => !name.includes(".data/")),
    smaller = whole.filter((name) => name.includes(".small."));
  return [
    `${drivers.join(" and ")}: ${signature}`,
    `  ${count} of the programs${seedText(finding)}`,
    ...isGone ? ["  not made smaller: the program did not differ again"] : [],
    ...(smaller.length > 0 ? smaller : whole).map((name) => `  ${out}/${name}`),
  ];
}
