import { assertEquals } from "@std/assert";
import { main } from "../../../../cli.ts";
import { Queue } from "../../../../workbench/runs/queue/connect.ts";
import { tasksStream } from "../../../../workbench/runs/queue/names.ts";
import { delay } from "../../../../workbench/runs/queue/patience.ts";
import { handlersOf } from "../../../../cli/queue/worker_main.ts";
import { natsServerPath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { NatsServer } from "./nats_server.ts";
import { StandIn, untilNothingIsLeft } from "./stand_in_worker.ts";
import { until } from "../../../support/until.ts";

const FAKE = new URL("../../../fixtures/fake_deqp.sh", import.meta.url).pathname;

/** Half a minute each, so by hand alone. */
const NATS = {
  ignore: needs("NATS server", natsServerPath()).ignore || Deno.env.get("PUMICE_QUEUE_CLUSTER") === undefined,
};

/** A queue of a cluster, which is there when its servers know each other and have chosen a leader. */
async function opened(url: string): Promise<Queue> {
  for (const end = performance.now() + 60_000; performance.now() < end; await delay(100)) {
    const queue = await Queue.open({ url }).catch(() => undefined);
    if (queue?.replicas === 3) return queue;
    await queue?.close();
  }
  throw new Error("The cluster has no leader");
}

/** The name of the server that leads the tasks of the run which goes on, as soon as the run has results. */
async function leader({ manager }: Queue): Promise<string> {
  let found: string | undefined;
  await until("the run has results", async () => {
    for await (const { config: { name }, state } of manager.streams.list()) {
      const run = name.replace(/^PUMICE_RESULTS_/, "");
      if (run === name || state.messages === 0) continue;
      found = (await manager.streams.info(tasksStream(run))).cluster?.leader;
    }
    return found !== undefined;
  });
  return found!;
}

/** Runs cases over a cluster, of which one server is killed meanwhile. */
function surviving(killed: (servers: readonly NatsServer[], leader: string) => NatsServer): Promise<void> {
  return withFolderAsync(async (folder) => {
    await using servers = new AsyncDisposableStack();
    const all = await NatsServer.cluster();
    for (const each of all) servers.use(each);
    const queue = await opened(all[0].url);
    try {
      await using workers = new AsyncDisposableStack();
      for (let at = 0; at < 2; at++) workers.use(new StandIn(queue, handlersOf(folder)));
      await until("both workers are there", async () => (await queue.keysOf("pumice_workers")).length === 2);
      const names = Array.from({ length: 60 }, (_, at) => `a.slow${at}`), lines: string[] = [];
      Deno.writeTextFileSync(`${folder}/list`, names.join("\n"));
      const args = [`${folder}/list`, `--command=${FAKE}`, `--queue=${all[0].url}`, "--group-size=4", "--patience=5"];
      const ran = main(["deqp", ...args, "--json"], (text) => lines.push(text), { warn() {} });
      await killed(all, await leader(queue)).stop("SIGKILL");
      assertEquals(await ran, 0);
      const { results } = JSON.parse(lines.join("\n"));
      assertEquals(
        results.map(({ name, status }: Record<string, string>) => `${name} ${status}`),
        names.map((each) => `${each} Pass`),
      );
      await untilNothingIsLeft(queue);
    } finally {
      await queue.close();
    }
  });
}

Deno.test(
  "a run over three servers goes on when the one is killed that its clients use",
  NATS,
  () => surviving((all) => all[0]),
);

Deno.test(
  "a run over three servers goes on when the one is killed that leads its tasks",
  NATS,
  () => surviving((all, leader) => all[Number(leader.replace("server", ""))]),
);
