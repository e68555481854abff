/**
 * A worker with a driver that nobody opens, in a process of its own. It runs dEQP's cases as any worker does.
 * Arguments: the queue's address, and the worker's tags as JSON.
 * @module
 */
import { dirname } from "node:path";
import { Queue } from "../../../../../workbench/runs/queue/connect.ts";
import { delay } from "../../../../../workbench/runs/queue/patience.ts";
import { handlersOf } from "../../../../../cli/queue/worker_main.ts";
import { Worker } from "../../../../../workbench/runs/queue/worker.ts";
import { sweepFolders, temporaryFolder } from "../../../../../loader/temporary_folder.ts";
import { standInCard } from "../stand_in_worker.ts";

const [url, tags = "{}"] = Deno.args, drain = new AbortController();
Deno.addSignalListener("SIGTERM", () => drain.abort());
const queue = await opened(), card = standInCard({ tags: JSON.parse(tags) }), folder = temporaryFolder("worker");
const tidy = () => sweepFolders(dirname(folder.path));
await new Worker({ queue, card, handlers: handlersOf(folder.path), drain: drain.signal, tidy }).run();
await queue.close();
folder[Symbol.dispose]();
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
