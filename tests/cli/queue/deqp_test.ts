import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main } from "../../../cli.ts";
import { Queue } from "../../../cli/queue/connect.ts";
import { handlersOf } from "../../../cli/queue/worker_main.ts";
import { natsServerPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { NatsServer } from "./nats_server.ts";
import { leftOf, StandIn, until } from "./stand_in_worker.ts";

const FAKE = new URL("../../fixtures/fake_deqp.sh", import.meta.url).pathname;
const NATS = needs("NATS server", natsServerPath());
const WORDS = ["pass", "fail", "crash", "not", "warn", "silent", "lost", "unsaid", "logged"];
const NAMES = Array.from({ length: 60 }, (_, at) => `dEQP-VK.group${at % 4}.${WORDS[at % WORDS.length]}${at}`);

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly warned: string;
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
      const list = `${folder}/list.txt`;
      Deno.writeTextFileSync(list, NAMES.map((name) => `${name}\n`).join(""));
      const filesOf = (where: string) => {
        Deno.mkdirSync(`${folder}/${where}`);
        return [
          `--out=${folder}/${where}/out.csv`,
          `--junit=${folder}/${where}/junit.xml`,
          `--html=${folder}/${where}/html`,
        ];
      };
      const common = [list, `--command=${FAKE}`, "--retries=1", "--group-size=7", "--shards=2"];
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
        const kept = async () => (await leftOf(queue)).filter((each) => !each.startsWith("KV_pumice_runs "));
        await until("the server keeps nothing of the run", async () => (await kept()).length === 0).catch(
          async (error) => {
            throw new Error(`${error.message}: ${await kept()}`);
          },
        );
      });
    }),
);
