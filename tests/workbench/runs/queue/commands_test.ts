import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { lavapipePath, natsServerPath } from "../../../../tools/setup/parts.ts";
import { commandHandler } from "../../../../workbench/runs/queue/command_handler.ts";
import { Queue } from "../../../../workbench/runs/queue/connect.ts";
import { commandLine } from "../../../support/command_line.ts";
import { count } from "../../../support/counts.ts";
import { randomRecording } from "../../../support/random_recording.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { NatsServer } from "./nats_server.ts";
import { untilNothingIsLeft } from "./stand_in_worker.ts";
import { WorkerProcess } from "./worker_process.ts";
import { until } from "../../../support/until.ts";

const DRIVER = lavapipePath(), NEEDED = needs("Mesa lavapipe and NATS", DRIVER && natsServerPath());
const FAULT = new URL("../../../cli/programs/other_fill.ts", import.meta.url).pathname;
const DIFFERS = "differs: vkCmdFillBuffer: buffer";
const FILLS = ["--actions=3", "--only=fill", `--layer-b=${FAULT}`];
const PAIR = "--for=driver=lvp,driver=twin";
/** Workers of the campaign in which one is killed and one is frozen; with three, one goes on. */
const WORKERS = count(3, 3, 8);
/** Programs of it for each worker: a worker has some when it is ended. */
const PROGRAMS = count(10, 20);
/** Programs of a campaign that is held beside a local run. */
const COMPARED = count(12, 24);

/** A worker with lavapipe under two names, as if there were two drivers. */
function worker(url: string, folder: string): Promise<WorkerProcess> {
  const twin = `${folder}/libvulkan_twin.so`;
  if (!existsLink(twin)) Deno.symlinkSync(DRIVER!, twin);
  return WorkerProcess.start(url, [`--driver=${DRIVER}`, `--driver=${twin}`], { TMPDIR: folder });
}

function existsLink(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSymlink;
  } catch {
    return false;
  }
}

/** A server, a worker with two drivers, and a folder. */
async function withWorker(use: (queue: string, folder: string) => Promise<void>): Promise<void> {
  await withFolderAsync(async (folder) => {
    await using server = await NatsServer.start();
    await using _worker = await worker(server.url, folder);
    await use(`--queue=${server.url}`, folder);
    const queue = await Queue.open({ url: server.url });
    await untilNothingIsLeft(queue).finally(() => queue.close());
  });
}

Deno.test(
  "a campaign over a queue finds what a local run finds, tells it once, and goes on with the next seeds",
  NEEDED,
  () =>
    withWorker(async (queue, folder) => {
      const twin = `${folder}/libvulkan_twin.so`,
        common = [`--programs=${COMPARED}`, "--no-reduce", ...FILLS, "--json"];
      const local = await commandLine("fuzz", `--driver=${DRIVER}`, `--driver=${twin}`, ...common);
      const run = ["fuzz", queue, PAIR, ...common, `--out=${folder}/campaign`];
      const away = await commandLine(...run), told = JSON.parse(away.stdout);
      const facts = (
        { signature, seed, count }: { signature: string; seed: number; count: number },
      ) => [signature, seed, count];
      assertEquals([away.code, local.code], [1, 1], away.text);
      assertEquals(told.findings.map(facts), JSON.parse(local.stdout).findings.map(facts));
      assertEquals([told.programs, told.undone, told.findings[0].drivers], [COMPARED, [], ["lvp", "twin"]]);
      assertStringIncludes(away.text, `fuzz: new on lvp and twin: ${DIFFERS}; seed 0`);
      const next = await commandLine(...run.filter((word) => word !== "--json"), "--programs=2");
      assertEquals(next.code, 0, next.text);
      assertStringIncludes(next.text, "2 programs, no new difference, 1 known from earlier runs");
      const kept = JSON.parse(Deno.readTextFileSync(`${folder}/campaign/campaign.json`));
      const all = COMPARED + 2;
      assertEquals([kept.next, kept.findings.map(facts)], [{ "lvp, twin": all }, [[DIFFERS, 0, all]]]);
    }),
);

Deno.test(
  "a campaign makes the first program of a difference smaller, and the files come home",
  NEEDED,
  () =>
    withWorker(async (queue, folder) => {
      const out = `${folder}/campaign`, words = [queue, PAIR, ...FILLS, "--programs=2", "--seed=7", `--out=${out}`];
      const { code, text } = await commandLine("fuzz", ...words);
      assertEquals(code, 1, text);
      for (const end of ["jsonl", "ts", "html"]) {
        assertStringIncludes(text, `  ${out}/lvp-twin/seed-7.small.${end}\n`.trimEnd());
      }
      const pair = [`--driver=${DRIVER}`, `--driver=${DRIVER}`, `--layer-b=${FAULT}`];
      assertEquals((await commandLine("compare", `${out}/lvp-twin/seed-7.small.jsonl`, ...pair)).code, 1);
    }),
);

Deno.test(
  "a campaign loses and repeats nothing while workers are killed and frozen at random",
  NEEDED,
  () =>
    withFolderAsync(async (folder) => {
      await using server = await NatsServer.start();
      const workers = await Promise.all(Array.from({ length: WORKERS }, () => worker(server.url, folder)));
      const seed = crypto.getRandomValues(new Uint32Array(1))[0];
      const programs = PROGRAMS * (WORKERS + 1),
        words = [`--programs=${programs}`, "--no-reduce", ...FILLS, "--json", "--patience=2"];
      const run = commandLine("fuzz", `--queue=${server.url}`, PAIR, ...words);
      const [killed, frozen] = [seed % WORKERS, (seed + 1) % WORKERS];
      await delay(300 + seed % 1500);
      await workers[killed].kill();
      Deno.kill(workers[frozen].pid, "SIGSTOP");
      workers.push(await worker(server.url, folder));
      const { code, stdout, text } = await run, told = JSON.parse(stdout);
      Deno.kill(workers[frozen].pid, "SIGCONT");
      assertEquals([code, told.programs, told.undone], [1, programs, []], `seed ${seed}: ${text}`);
      const found = told.findings.map((each: { signature: string; count: number }) => [each.signature, each.count]);
      assertEquals(found, [[DIFFERS, programs]], `seed ${seed}`);
      for (const [at, each] of workers.entries()) if (at !== killed) await each.end();
    }),
);

Deno.test(
  "recordings are compared on pairs of drivers, as a table and as a page that leads to each difference",
  NEEDED,
  () =>
    withWorker(async (queue, folder) => {
      const [fills, draws] = ["fills", "draws"].map((name) => `${folder}/${name}.jsonl`);
      await randomRecording(fills, "fill");
      await randomRecording(draws, "clear");
      const page = `${folder}/page`, words = [fills, draws, queue, PAIR, `--layer-b=${FAULT}`, `--html=${page}`];
      const { code, text } = await commandLine("compare", ...words);
      assertEquals(code, 1, text);
      assertMatch(
        text,
        /driver A: lvp, driver B: twin\n {2}\S+fills\.jsonl {2}differs: vkCmdFillBuffer\n {2}\S+draws\.jsonl {2}same/,
      );
      const html = Deno.readTextFileSync(`${page}/index.html`);
      assertStringIncludes(html, "1 of 2 comparisons differ");
      assertStringIncludes(html, 'href="fills.jsonl/lvp-twin/finding.html"');
      assertStringIncludes(Deno.readTextFileSync(`${page}/fills.jsonl/lvp-twin/finding.html`), "<title>");
      const { cells } = JSON.parse((await commandLine("compare", draws, queue, PAIR, "--json")).stdout);
      const [{ verdict, report }] = cells;
      assertEquals([verdict, report.finding, report.submissions > 0], ["same", undefined, true]);
    }),
);

Deno.test(
  "a recording is made smaller on a worker, and drivers of workers are checked",
  NEEDED,
  () =>
    withWorker(async (queue, folder) => {
      const recording = `${folder}/fills.jsonl`, out = `${folder}/home/small.jsonl`;
      await randomRecording(recording, "fill");
      const { code, text } = await commandLine("reduce", recording, queue, PAIR, `--layer-b=${FAULT}`, `--out=${out}`);
      assertEquals(code, 0, text);
      assertMatch(text, /small\.jsonl: \d+ of \d+ lines are left, with 1 of 3 commands/);
      assert(Deno.statSync(out).isFile && Deno.statSync(out.replace(/jsonl$/, "ts")).isFile);
      const checked = JSON.parse((await commandLine("check", queue, "--release=13", "--json")).stdout);
      const local = JSON.parse(
        (await commandLine("check", `--driver=${DRIVER}`, "--release=13", "--only=vulkan", "--json")).stdout,
      );
      assertEquals(Object.keys(checked.drivers), ["lvp", "twin"]);
      assertEquals(checked.drivers.lvp.counts, local.counts);
      assertEquals(checked.undone, []);
    }),
);

Deno.test("a run over a queue says what a command does not take there", async () => {
  const queue = "--queue=nats://127.0.0.1:1";
  for (
    const [words, sentence] of [
      [["fuzz", "--programs=1", "--for=driver=a"], /^fuzz: name two drivers of the workers/],
      [["fuzz", "--for=driver=a,driver=b"], /^fuzz: --queue needs --programs/],
      [
        ["fuzz", "--seconds=3", "--programs=1"],
        /^fuzz: --seconds with --queue: a run over a queue ends after --programs/,
      ],
      [
        ["compare", import.meta.filename!, `--driver=${import.meta.filename}`],
        /^compare: --driver: the workers of a queue have/,
      ],
      [["compare", import.meta.filename!, "--resume=x"], /^compare: --resume with --queue/],
      [["reduce", import.meta.filename!, "--for=driver=a,driver=b,driver=c"], /^reduce: name one or two drivers/],
      [["check", "--html=x"], /^check: --html with --queue: give --json/],
    ] as const
  ) {
    const { code, text } = await commandLine(...words, queue);
    assertEquals(code, 2, text);
    assertMatch(text, sentence);
  }
  const { code, text } = await commandLine("compare", "a.jsonl", "b.jsonl");
  assertEquals([code, text.split("\n")[0]], [2, "compare: several recordings are compared over a queue: give --queue"]);
});

Deno.test(
  "a campaign's file that is none is refused before anything runs",
  NEEDED,
  () =>
    withWorker(async (queue, folder) => {
      for (
        const wrong of [
          "",
          "[]",
          '{"version":2,"next":{},"findings":[]}',
          '{"version":1,"next":{"a":"b"},"findings":[]}',
        ]
      ) {
        Deno.writeTextFileSync(`${folder}/campaign.json`, wrong);
        const { code, text } = await commandLine("fuzz", queue, PAIR, "--programs=1", `--out=${folder}`);
        assertEquals(code, 2, text);
        assertStringIncludes(text, `campaign.json" is no campaign of this version`);
      }
    }),
);

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

Deno.test("a command line that does not hear that it should end is killed", async () => {
  await withFolderAsync(async (folder) => {
    const program = ["sh", "-c", `trap '' TERM; touch ${folder}/begun; while :; do sleep 0.1; done`];
    const end = new AbortController(), driver = { name: "lvp", path: "auto", devices: [] };
    const work = { words: [], drivers: ["lvp"], files: {} }, ended: unknown[] = [];
    const batch = { run: "r", common: { command: "fuzz" }, pieces: [{ key: "k", work }], driver, drivers: [driver] };
    const events = { started() {}, ended: (verdict: unknown) => ended.push(verdict) };
    const running = commandHandler(folder, program)({ ...batch, store: null as never, signal: end.signal }, events);
    await until("the process is there", () => [...Deno.readDirSync(folder)].some(({ name }) => name === "begun"));
    end.abort();
    await running;
    assertEquals(ended, []);
  });
});
