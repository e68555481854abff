import { STOPPED } from "../../workbench/process/stop.ts";
import { outFolder } from "../../workbench/programs/campaign/findings.ts";
import type { FuzzRun } from "../../workbench/programs/campaign/fuzz.ts";
import { type KeptFinding, KeptFindings } from "../../workbench/programs/campaign/kept_findings.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import type { Process, Request } from "../command.ts";
import { type Campaign, type CampaignOutcome, campaignOverQueue, seedText } from "./campaign_over_queue.ts";
import { refuseWithQueue } from "./commands_over_queue.ts";
import { wantedPairs } from "./drivers.ts";
import { withQueue } from "./with_queue.ts";

const MEANINGLESS = {
  seconds: "a run over a queue ends after --programs",
  known: "give --out, which keeps what was found",
};

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
    const campaign = { request, run, pairs, kept: new KeptFindings(run.out) };
    const outcome = await campaignOverQueue(here, campaign);
    if (!outcome) return 0;
    print(
      request.json ? JSON.stringify({ ...outcome, findings: campaign.kept.fresh }, null, 2) : text(outcome, campaign),
    );
    if (here.signal.aborted) return STOPPED;
    return outcome.undone.length > 0 ? 2 : Number(campaign.kept.fresh.length > 0);
  });
}

function text({ programs, undone }: CampaignOutcome, { kept, pairs, run }: Campaign): string {
  const { fresh, earlier } = kept, old = earlier > 0 ? `, ${earlier} known from earlier runs` : "";
  const next = pairs.map(({ drivers }) => {
    const left = kept.left(drivers), first = left === 0 ? "" : ` after ${left} programs that were left`;
    return `${drivers.join(" and ")} go on at seed ${kept.next(drivers)}${first}`;
  }).join(", ");
  return [
    `${programs} programs, ${fresh.length === 0 ? "no new difference" : `${fresh.length} new`}${old}`,
    ...undone,
    ...run.out === undefined ? [] : [`${run.out}/campaign.json: ${next}`],
    ...fresh.flatMap((finding) => ["", ...findingText(finding, run)]),
  ].join("\n");
}

function findingText(finding: KeptFinding, { out }: Pick<FuzzRun, "out">): string[] {
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
