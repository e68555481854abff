/**
 * `deno task coverage`: runs tests with the coverage of Deno, and prints how much of each room ran, and the files of
 * which least ran. The programs of Deno that tests start count, too, unless they are ended by a signal. What runs in
 * Workers is not seen, since Deno does not count there.
 *
 * @module
 */
import { type Batch, batchesOf, testFiles } from "../test/batches.ts";
import { quickFiles } from "../test/quick.ts";
import { readRecords } from "../test/record.ts";
import { type Outcome, runBatch } from "../test/run_batch.ts";
import { readOptions, runTask } from "../task.ts";
import { reasonOf } from "./elsewhere.ts";
import { Gathered } from "./gathered.ts";
import { type Counts, readLcov, sumOf } from "./lcov.ts";

const HELP = `deno task coverage [--all] [--json] [FILE or FOLDER...]

  --all   with the slow tests
  --json  print the counts of each file
  FILE    a test file, or a folder of them; without any and without --all, the quick tests

Exit status: 0, or 1 when a test failed: what did not run then may have had a test.`;

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
/** The folders whose files count. */
const FLOORS = ["ffi", "loader", "wsi", "egl", "hwc", "workbench", "cli"];
/** Goals for code that people write, as shares. */
const GOALS = { lines: 0.92, branches: 0.85 };
/** The files that are named, and the least lines of such a file. */
const NAMED = 30, LEAST = 20;

async function main(): Promise<number> {
  const { values: { all, json }, positionals } = readOptions(HELP, {
    options: { all: { type: "boolean", default: false }, json: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const records = readRecords(), files = testFiles(positionals.length > 0 ? positionals : undefined);
  const chosen = all || positionals.length > 0 ? files : quickFiles(files, records), folder = Deno.makeTempDirSync();
  try {
    const gathered = new Gathered(isCounted), failed = await runAll(batchesOf(chosen, records), folder, gathered);
    const report = await gathered.report(`${folder}/all`), counts = readLcov(report, ROOT, FLOORS);
    console.log(json ? JSON.stringify(Object.fromEntries(counts), null, 2) : tableOf(counts));
    tellUncounted(gathered, report);
    for (const { batch } of failed) console.error(`failed: ${batch.name}`);
    return failed.length > 0 ? 1 : 0;
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Tells what is in no count. */
function tellUncounted(gathered: Gathered, report: string): void {
  const leftOut = gathered.leftOut(report).map((path) => path.slice(ROOT.length));
  if (gathered.cut > 0) console.error(`not counted: ${gathered.cut} files of processes that ended while they wrote`);
  if (leftOut.length > 0) console.error(`not counted, since Deno does not report them: ${leftOut.join(", ")}`);
}

/** Whether a script lies on one of the floors. */
function isCounted(url: string): boolean {
  const root = new URL("../../", import.meta.url).href;
  return url.startsWith(root) && FLOORS.includes(url.slice(root.length).split("/")[0]);
}

/** Runs batches, as many at a time as there are processors. Returns those that failed. */
async function runAll(batches: readonly Batch[], folder: string, gathered: Gathered): Promise<Outcome[]> {
  const failed: Outcome[] = [], left = batches.entries();
  const work = async () => {
    for (const [index, batch] of left) {
      const own = `${folder}/${index}`, args = [...batch.args, `--coverage=${own}`, "--coverage-raw-data-only"];
      Deno.mkdirSync(own); // a process that dies writes nothing
      const outcome = await runBatch({ ...batch, args });
      gathered.take(own);
      console.error(`[${index + 1}/${batches.length}] ${batch.name}: ${outcome.passed} passed`);
      if (outcome.failed === 0) continue;
      failed.push(outcome);
      console.error(outcome.output.trim());
    }
  };
  await Promise.all(Array.from({ length: navigator.hardwareConcurrency }, work));
  return failed;
}

function tableOf(files: ReadonlyMap<string, Counts>): string {
  const rooms = Map.groupBy(files, ([path]) => path.split("/").slice(0, 2).join("/"));
  const rows = [...rooms].sort(([one], [other]) => one < other ? -1 : 1)
    .map(([room, own]) => row(room, sumOf(own.map(([, counts]) => counts))));
  const least = [...files].filter(([, { lines }]) => lines >= LEAST)
    .sort(([, one], [, other]) => one.linesRun / one.lines - other.linesRun / other.lines).slice(0, NAMED);
  const { lines, branches } = GOALS, all = sumOf(files.values());
  return [
    ...rows,
    row(`all, of ${100 * lines} and ${100 * branches} %`, all),
    "",
    "files of which least ran:",
    ...least.map(([path, counts]) => `${row(path, counts)}  ${reasonOf(path)}`.trimEnd()),
  ].join("\n");
}

function row(name: string, { lines, linesRun, branches, branchesRun }: Counts): string {
  return `  ${name.padEnd(60)} lines ${share(linesRun, lines)}  branches ${share(branchesRun, branches)}`;
}

function share(part: number, whole: number): string {
  return (whole === 0 ? "–" : `${(100 * part / whole).toFixed(1)} %`).padStart(7);
}

if (import.meta.main) await runTask(HELP, main);
