/**
 * A worker with a driver that nobody opens, in a process of its own. It runs dEQP's cases as any worker does.
 * Arguments: the queue's address, and the worker's tags as JSON.
 * @module
 */
import { Queue } from "../../../../cli/queue/connect.ts";
import { delay } from "../../../../cli/queue/patience.ts";
import { sweep, workerFolder } from "../../../../cli/queue/temporary.ts";
import { handlersOf } from "../../../../cli/queue/worker_main.ts";
import { Worker } from "../../../../cli/queue/worker.ts";
import { standInCard } from "../stand_in_worker.ts";

const [url, tags = "{}"] = Deno.args, drain = new AbortController();
Deno.addSignalListener("SIGTERM", () => drain.abort());
const queue = await opened(), folder = workerFolder(), card = standInCard({ tags: JSON.parse(tags) });
const tidy = () => sweep(folder);
await new Worker({ queue, card, handlers: handlersOf(folder), drain: drain.signal, tidy }).run();
await queue.close();
Deno.removeSync(folder, { recursive: true });
tidy();
Deno.exit(0);

/** The server may be away just now. */
async function opened(): Promise<Queue> {
  for (const end = performance.now() + 30_000;;) {
    try {
      return await Queue.open({ url });
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(200);
    }
  }
}
