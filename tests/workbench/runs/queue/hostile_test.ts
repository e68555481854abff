import { assert, assertEquals } from "@std/assert";
import { Queue } from "../../../../workbench/runs/queue/connect.ts";
import { delay } from "../../../../workbench/runs/queue/patience.ts";
import { natsServerPath } from "../../../../tools/setup/parts.ts";
import { commandLine } from "../../../support/command_line.ts";
import { count } from "../../../support/counts.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { NatsServer } from "./nats_server.ts";
import { spawnWorker, untilNothingIsLeft } from "./stand_in_worker.ts";
import { until } from "../../../support/until.ts";

const ROOT = new URL("../../../../", import.meta.url).pathname;
const FAKE = `${ROOT}tests/fixtures/fake_deqp.sh`;
const WORKERS = 8, PATIENCE = 3;
/** Thousands of cases, each time others, found workers that ended by themselves, at a message that was none of theirs. */
const CASES = Number(Deno.env.get("PUMICE_QUEUE_CASES") ?? count(2000, 2000, 4000));
const SEED = Number(Deno.env.get("PUMICE_QUEUE_SEED") ?? crypto.getRandomValues(new Uint32Array(1))[0]);

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = state + 0x6d2b79f5 | 0;
    let value = Math.imul(state ^ state >>> 15, 1 | state);
    value = value + Math.imul(value ^ value >>> 7, 61 | value) ^ value;
    return ((value ^ value >>> 14) >>> 0) / 2 ** 32;
  };
}

/** Mostly trivial cases; each tenth takes a while, and some do what ends a process. */
function nameOf(at: number): string {
  const rare = ["fail", "crash", "silent", "lost", "not", "warn", "logged"];
  const word = at % 701 === 0 ? rare[at / 701 % rare.length] : at % 10 === 0 ? "slow" : "pass";
  return `dEQP-VK.group${at % 23}.${word}${at}`;
}

/** Worker processes that are killed and frozen. */
class Crowd {
  readonly #url: string;
  readonly #env: Record<string, string>;
  readonly #all = new Set<Deno.ChildProcess>();
  /** The number of workers that were found ended although nobody had killed them. */
  ended = 0;

  constructor(url: string, env: Record<string, string>) {
    [this.#url, this.#env] = [url, env];
  }

  add(): void {
    this.#all.add(spawnWorker(this.#url, this.#env));
  }

  async kill(at: number): Promise<void> {
    const child = [...this.#all][at % this.#all.size];
    this.#all.delete(child);
    try {
      child.kill("SIGKILL");
    } catch {
      this.ended++; // by itself
    }
    await child.status;
    this.add();
  }

  async freeze(at: number, milliseconds: number): Promise<void> {
    const child = [...this.#all][at % this.#all.size];
    child.kill("SIGSTOP");
    await delay(milliseconds);
    child.kill("SIGCONT");
  }

  /** Drains all. Returns the exit codes. */
  async drain(): Promise<number[]> {
    const all = [...this.#all];
    this.#all.clear();
    for (const each of all) each.kill("SIGTERM");
    return await Promise.all(all.map(async (each) => (await each.status).code));
  }
}

/** Does harm until the signal. Returns what was done. */
async function harm(crowd: Crowd, server: NatsServer, signal: AbortSignal): Promise<string[]> {
  const random = randomOf(SEED), done: string[] = [], frozen: Promise<void>[] = [];
  for (let turn = 1; !signal.aborted; turn++) {
    await delay(300 + 900 * random(), signal);
    if (signal.aborted) break;
    const at = Math.floor(random() * WORKERS), kind = turn % 10 === 2 ? "server" : random() < 0.6 ? "kill" : "freeze";
    done.push(kind);
    if (kind === "kill") await crowd.kill(at);
    if (kind === "freeze") frozen.push(crowd.freeze(at, 1000 * (PATIENCE + 1 + random())).catch(() => {}));
    if (kind !== "server") continue;
    await server.stop(random() < 0.5 ? "SIGTERM" : "SIGKILL");
    await delay(1000 * (CASES >= 20_000 && done.filter((each) => each === "server").length === 1 ? 10 : 4));
    await server.start();
  }
  await Promise.all(frozen);
  return done;
}

Deno.test({
  name:
    `cases over ${WORKERS} workers that are killed and frozen, with a server that is stopped: each case has one verdict, that of the local run`,
  ...needs("NATS server", natsServerPath()),
  fn: () =>
    withFolderAsync(async (folder) => {
      console.log(`PUMICE_QUEUE_SEED=${SEED}`);
      const names = Array.from({ length: CASES }, (_, at) => nameOf(at)), list = `${folder}/list.txt`;
      Deno.writeTextFileSync(list, names.map((name) => `${name}\n`).join(""));
      Deno.mkdirSync(`${folder}/tmp`);
      await using server = await NatsServer.start();
      const crowd = new Crowd(server.url, { TMPDIR: `${folder}/tmp`, PIDS: `${folder}/pids` });
      for (let at = 0; at < WORKERS; at++) crowd.add();
      const queue = await Queue.open({ url: server.url }), over = new AbortController();
      try {
        await until("all workers are there", async () => (await queue.keysOf("pumice_workers")).length === WORKERS);
        const common = [list, `--command=${FAKE}`, "--retries=3", "--json"];
        const running = commandLine(...["deqp", ...common, `--queue=${server.url}`], `--patience=${PATIENCE}`);
        await until("the run is there", async () => (await queue.keysOf("pumice_runs")).length > 0);
        const harmed = harm(crowd, server, over.signal), remote = await running;
        over.abort();
        console.log(
          Object.entries(Object.groupBy(await harmed, (each) => each)).map(([kind, all]) => `${kind} ${all!.length}`)
            .join(", "),
        );
        assertEquals(
          (await crowd.drain()).filter((code) => code !== 0 && code !== 143),
          [],
          "workers drain, or had just begun",
        );
        const [json] = /^\{[^]*/m.exec(remote.text) ?? [];
        assert(json !== undefined, remote.text);
        const run = JSON.parse(json!);
        const local = JSON.parse((await commandLine("deqp", ...common, "--shards=24")).text);
        assertEquals(crowd.ended, 0, "no worker ends by itself");
        const verdicts = ({ results }: typeof run): string[] =>
          results.map((each: Record<string, unknown>) => JSON.stringify({ ...each, seconds: 0 }));
        const [found, wanted] = [verdicts(run), verdicts(local)];
        assertEquals([found.length, wanted.length], [CASES, CASES]);
        assertEquals(found.filter((each, at) => each !== wanted[at]).slice(0, 5), []);
        assertEquals([run.counts, remote.code], [local.counts, 1]);
        await untilNothingIsLeft(queue);
      } finally {
        over.abort();
        await crowd.drain();
        await queue.close();
      }
      assertEquals([...Deno.readDirSync(`${folder}/tmp`)].map(({ name }) => name), [], "no file is left");
      const left = Deno.readTextFileSync(`${folder}/pids`).trim().split("\n").filter(isFake);
      assertEquals(left, [], "no process is left");
      assert(CASES > 0);
    }),
});

function isFake(pid: string): boolean {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`).includes("fake_deqp");
  } catch {
    return false;
  }
}
