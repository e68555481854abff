import { basename } from "node:path";
import type { DriverComparison } from "../../workbench/recordings/mod.ts";
import { DRIVERS } from "../../workbench/recordings/compare/report/text.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { STOPPED } from "../../workbench/process/stop.ts";
import { badge, reportPage, section, table } from "../../workbench/pages/report_page.ts";
import { escaped, pre } from "../../workbench/pages/page_parts.ts";
import type { RunOutcome } from "../../workbench/runs/deqp/run_tasks.ts";
import { type CommandDetails, FOLDER } from "../../workbench/runs/queue/command_handler.ts";
import { ReportFolder } from "../../workbench/runs/report/folder.ts";
import type { Process, Request } from "../command.ts";
import { Inputs, type Piece, refuseWithQueue, runCommands, unfinished, wordsOf } from "./commands_over_queue.ts";
import { type DriverPair, wantedPairs } from "./drivers.ts";
import { withQueue } from "./with_queue.ts";

/** Options that reach the workers as they are. Layers are files of the workers' machines. */
const PASSED = ["steps", "share", "timeout", "unsealed", "submission", "layer-a", "layer-b"];

/** A recording on a pair of drivers. */
interface Cell extends Piece {
  readonly recording: string;
  readonly drivers: readonly [string, string];
  /** The folder of its page, below that of the table. */
  readonly folder: string;
}

/** A cell with what came of it. */
interface ComparedCell {
  readonly recording: string;
  readonly drivers: readonly [string, string];
  /** `same`, how the drivers part, or `not done`. */
  readonly verdict: string;
  /** The page about a difference, below the folder of the table; absent if there is none. */
  readonly page?: string;
  readonly report?: DriverComparison;
}

/**
 * Compares pairs of drivers on recordings, on the workers of a queue, and prints a table: a line for each recording, a
 * column for each pair. Returns the exit codes of a local run.
 */
export function compareOverQueue(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  refuseWithQueue("compare", request, { resume: "a comparison on a worker begins anew; join the run with --join" });
  const pairs = wantedPairs("compare", request), { html, join, leave } = request.values;
  const folder = html === undefined ? undefined : new ReportFolder(html as string);
  return withQueue("compare", request, process, async (here) => {
    const inputs = new Inputs(), pieces = await cellsOf(request, pairs, inputs);
    const groups = pairs.map(({ group }) => group), isLeft = leave as boolean | undefined;
    const run = { command: "compare", groups, pieces, inputs, join: join as string | undefined, isLeft } as const;
    const outcome = await runCommands(here, request, run);
    if (!outcome) return 0;
    const cells = pieces.map((cell, at) => compared(cell, outcome.results[at].details)), undone = unfinished(outcome);
    print(request.json ? JSON.stringify({ cells, undone }, null, 2) : [...lines(cells, pairs), ...undone].join("\n"));
    folder?.write(page(cells, pairs, undone));
    if (here.signal.aborted) return STOPPED;
    return undone.length > 0 ? 2 : worst(outcome);
  });
}

/** The exit code for all: a difference counts more than one that does not come back. */
function worst({ results }: RunOutcome<CommandDetails>): number {
  const codes = results.map(({ details }) => details!.code);
  return codes.includes(1) ? 1 : Math.max(...codes);
}

async function cellsOf({ operands, values }: Request, pairs: readonly DriverPair[], inputs: Inputs): Promise<Cell[]> {
  const names = new Set<string>(), words = [...wordsOf({ values } as Request, PASSED), `--html=${FOLDER}/out`];
  const cells: Cell[] = [];
  for (const recording of new Set(operands)) {
    const name = basename(recording), files = await inputs.addRecording("compare", recording);
    if (names.has(name)) throw new WrongUse(`compare: two recordings are named ${name}; give each a name of its own`);
    names.add(name);
    for (const [group, { drivers }] of pairs.entries()) {
      const folder = `${name}/${drivers.join("-")}`,
        home = values.html === undefined ? {} : { home: `${values.html}/${folder}` };
      const work = { words: [`${FOLDER}/in/${name}`, ...words], drivers, files };
      cells.push({ key: `${name} on ${drivers.join(" and ")}`, recording, drivers, folder, group, work, ...home });
    }
  }
  return cells;
}

function compared({ recording, drivers, folder }: Cell, details?: CommandDetails): ComparedCell {
  const report = details?.report as DriverComparison | undefined, finding = report?.finding;
  if (!report) return { recording, drivers, verdict: "not done" };
  if (!finding) return { recording, drivers, verdict: "same", report };
  const { kind, side, action, line, isFlaky } = finding;
  const who = side === undefined ? kind : `${kind} on ${drivers[side]}`;
  const where = action?.command ?? (line === undefined ? "" : `line ${line}`);
  const verdict = `${who}${where === "" ? "" : `: ${where}`}${isFlaky ? ", not each time" : ""}`;
  return { recording, drivers, verdict, page: `${folder}/finding.html`, report };
}

function lines(cells: readonly ComparedCell[], pairs: readonly DriverPair[]): string[] {
  return pairs.flatMap(({ drivers }) => {
    const own = cells.filter((cell) => cell.drivers === drivers);
    const width = Math.max(...own.map(({ recording }) => recording.length));
    const head = drivers.map((name, at) => `${DRIVERS[at]}: ${name}`).join(", ");
    return [head, ...own.map(({ recording, verdict }) => `  ${recording.padEnd(width)}  ${verdict}`)];
  });
}

/** A page with a line for each recording and a column for each pair. A cell leads to the page about its difference. */
function page(cells: readonly ComparedCell[], pairs: readonly DriverPair[], undone: readonly string[]): string {
  const bad = cells.filter(({ verdict }) => verdict !== "same").length - undone.length;
  const head = ["recording", ...pairs.map(({ drivers }) => drivers.map(escaped).join(" and "))];
  const rows = [...Map.groupBy(cells, ({ recording }) => recording)].map(([recording, own]) => {
    return `<tr><th scope="row">${escaped(recording)}</th>${own.map(cellText).join("")}</tr>`;
  });
  return reportPage({
    title: (bad === 0
      ? `${cells.length - undone.length} comparisons without a difference`
      : `${bad} of ${cells.length} comparisons differ`) + (undone.length === 0 ? "" : `, ${undone.length} not done`),
    isGood: bad + undone.length === 0,
    facts: [["comparisons", `${cells.length}`]],
    sections: [
      section("matrix", "Recordings and drivers", table("Recordings and drivers", head, rows)),
      undone.length === 0 ? "" : section("undone", "Not done", pre(undone.join("\n"))),
    ],
  });
}

function cellText({ verdict, page }: ComparedCell): string {
  const word = badge(verdict, verdict === "same" ? "good" : verdict === "not done" ? "note" : "bad");
  const link = page?.split("/").map(encodeURIComponent).join("/");
  return `<td>${link === undefined ? word : `<a href="${escaped(link)}">${word}</a>`}</td>`;
}
