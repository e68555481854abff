import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main } from "../../../../cli.ts";
import { Queue } from "../../../../workbench/runs/queue/connect.ts";
import { planRound } from "../../../../workbench/runs/queue/plan.ts";
import { TimesThere } from "../../../../workbench/runs/queue/stores.ts";
import { handlersOf } from "../../../../cli/queue/worker_main.ts";
import { natsServerPath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { NatsServer } from "./nats_server.ts";
import { StandIn, untilNothingIsLeft, workerProcess } from "./stand_in_worker.ts";
import { until } from "../../../support/until.ts";

const FAKE = new URL("../../../fixtures/fake_deqp.sh", import.meta.url).pathname;
const NATS = needs("NATS server", natsServerPath());
const WORDS = ["pass", "fail", "crash", "not", "warn", "silent", "lost", "unsaid", "logged"];
const NAMES = Array.from({ length: 60 }, (_, at) => `dEQP-VK.group${at % 4}.${WORDS[at % WORDS.length]}${at}`);

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly warned: string;
}

function list(folder: string, names: readonly string[]): string {
  const path = `${folder}/list${names.length}.txt`;
  Deno.writeTextFileSync(path, names.map((name) => `${name}\n`).join(""));
  return path;
}

async function deqp(...args: string[]): Promise<Ran> {
  const out: string[] = [], warned: string[] = [];
  const code = await main(["deqp", ...args], (text) => out.push(text), { warn: (text) => warned.push(text) });
  return { code, out: out.join("\n"), warned: warned.join("\n") };
}

/** Workers in this process with a connection each, as machines have. */
async function withWorkers(url: string, count: number, use: (queue: Queue) => Promise<void>): Promise<void> {
  await withFolderAsync(async (folder) => {
    const queue = await Queue.open({ url });
    try {
      await using _workers = new AsyncDisposableStack();
      for (let at = 0; at < count; at++) _workers.use(new StandIn(queue, handlersOf(folder)));
      await use(queue);
    } finally {
      await queue.close();
    }
  });
}

/** A text without what is measured or is about the time of day. */
function timeless(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]*Z?/g, "TIME").replaceAll(
    /\d+(\.\d+)? ?(ms|s)\b/g,
    "DURATION",
  )
    .replaceAll(/time="[\d.]+"/g, 'time=""').replaceAll(/,[\d.]+$/gm, ",").replaceAll(
      /"seconds": ?[\d.]+/g,
      '"seconds":0',
    );
}

Deno.test(
  "a run over a queue gives the verdicts, the files and the page of a local run, in the same order",
  NATS,
  () =>
    withFolderAsync(async (folder) => {
      const filesOf = (where: string) => {
        Deno.mkdirSync(`${folder}/${where}`);
        return [
          `--out=${folder}/${where}/out.csv`,
          `--junit=${folder}/${where}/junit.xml`,
          `--html=${folder}/${where}/html`,
        ];
      };
      const common = [list(folder, NAMES), `--command=${FAKE}`, "--retries=1", "--group-size=7", "--shards=2"];
      const local = await deqp(...common, ...filesOf("local"));
      await using server = await NatsServer.start();
      await withWorkers(server.url, 4, async (queue) => {
        const remote = await deqp(...common, `--queue=${server.url}`, "--for=driver=stand-in", ...filesOf("remote"));
        assertEquals([remote.code, local.code], [1, 1]);
        assertMatch(remote.warned, /^run [a-z0-9]+: 60 tasks in \d+ batches; join it with --join=/);
        assertEquals(remote.out.split("\n").toSorted(), local.out.split("\n").toSorted());
        for (const file of ["out.csv", "junit.xml", "html/index.html"]) {
          const [one, other] = ["local", "remote"].map((where) => {
            return timeless(
              Deno.readTextFileSync(`${folder}/${where}/${file}`).replaceAll(`${folder}/${where}`, "FOLDER"),
            );
          });
          assertEquals(other.split("\n").filter((line, at) => line !== one.split("\n")[at]), [], file);
          assertEquals(other, one, file);
          assertStringIncludes(one, "dEQP-VK");
        }
        await untilNothingIsLeft(queue);
      });
    }),
);

Deno.test(
  "a case that ends its worker is a result when --retries are used up, and the cases beside it have their verdicts",
  NATS,
  () =>
    withFolderAsync(async (folder) => {
      await using server = await NatsServer.start();
      await using workers = new AsyncDisposableStack();
      for (let at = 0; at < 4; at++) workers.use(await workerProcess(server.url, { TMPDIR: folder }));
      const names = Array.from({ length: 48 }, (_, at) => at === 4 ? "a.killer" : at === 5 ? "a.fail" : `a.pass${at}`);
      const common = [list(folder, names), `--command=${FAKE}`, "--group-size=3", "--patience=1", "--retries=0"];
      const { code, out, warned } = await deqp(...common, `--queue=${server.url}`, "--json");
      const results = JSON.parse(out).results.map((each: { status: string; message: string; attempts: string[] }) => {
        return `${each.status} ${each.message} ${each.attempts.length}`;
      });
      const wanted = names.map(() => "Pass Passed 1");
      [wanted[4], wanted[5]] = ["Missing lost 1 worker 1", "Fail Image comparison failed (badly) 1"];
      assertStringIncludes(warned, "in 16 batches", "the three cases are with one worker");
      assertEquals([code, results], [1, wanted]);
    }),
);

Deno.test(
  "a run can be left and joined, without the list, by its name alone",
  NATS,
  () =>
    withFolderAsync(async (folder) => {
      await using server = await NatsServer.start();
      await withWorkers(server.url, 2, async (queue) => {
        const common = [list(folder, NAMES), `--command=${FAKE}`, "--retries=0"];
        const left = await deqp(...common, `--queue=${server.url}`, "--leave");
        const [, name] = /--join=([a-z0-9]+)/.exec(left.warned) ?? [];
        assertEquals([left.code, left.out], [0, ""]);
        const wrong = await deqp(list(folder, ["a.pass"]), `--queue=${server.url}`, `--join=${name}`);
        assertEquals(wrong.code, 2);
        assertStringIncludes(wrong.warned, "give the same list");
        const joined = await deqp(
          `--queue=${server.url}`,
          `--join=${name}`,
          "--retries=0",
          `--junit=${folder}/joined.xml`,
        );
        const local = await deqp(...common, `--junit=${folder}/local.xml`);
        assertEquals([joined.code, joined.out.split("\n").at(-2)], [1, local.out.split("\n").at(-2)]);
        const [one, other] = ["joined", "local"].map((each) =>
          timeless(Deno.readTextFileSync(`${folder}/${each}.xml`))
        );
        assertEquals(one, other);
        await untilNothingIsLeft(queue);
        const gone = await deqp(`--queue=${server.url}`, `--join=${name}`);
        assertEquals(gone.code, 2);
        assertStringIncludes(gone.warned, `there is no run "${name}" in the queue`);
      });
    }),
);

Deno.test(
  "Ctrl-C or SIGTERM takes what is queued from the queue, and workers leave what they do for the run",
  NATS,
  () =>
    withFolderAsync(async (folder) => {
      await using server = await NatsServer.start();
      await withWorkers(server.url, 1, async (queue) => {
        const names = Array.from({ length: 50 }, (_, at) => `a.hang${at}`);
        const ran = deqp(list(folder, names), `--command=${FAKE}`, `--queue=${server.url}`);
        await until("a worker works", async () =>
          (await Array.fromAsync(queue.manager.streams.list())).some(({ state, config }) => {
            return config.name.startsWith("PUMICE_TASKS_") && state.consumer_count === 1 && state.messages > 0;
          }));
        Deno.kill(Deno.pid, "SIGTERM");
        assertEquals((await ran).code, 130);
        await untilNothingIsLeft(queue);
      });
    }),
);

Deno.test(
  "a second run is shared by what the first measured: the longest batches come first",
  NATS,
  () =>
    withFolderAsync(async (folder) => {
      await using server = await NatsServer.start();
      await withWorkers(server.url, 2, async (queue) => {
        const names = [...Array.from({ length: 40 }, (_, at) => `a.pass${at}`), "b.slow1", "b.slow2"];
        const common = [list(folder, names), `--command=${FAKE}`, `--queue=${server.url}`];
        assertEquals((await deqp(...common)).code, 0);
        const times = await TimesThere.read(queue, { kind: "deqp", groups: [{}] });
        assert(times.secondsOf(0, "b.slow1")! > 0.05 && times.secondsOf(0, "b.other")! > 0.05);
        assert((times.secondsOf(0, "a.pass1") ?? 0) < 0.05);
        const keys = names,
          plan = planRound({
            count: keys.length,
            groupOf: () => 0,
            secondsOf: (task) => times.secondsOf(0, keys[task]),
            size: 500,
            slots: [2],
          });
        const { start, length } = plan.batches[0];
        assert(start <= 40 && start + length > 40, "the slow cases come first");
      });
    }),
);
