/**
 * A worker with a driver that nobody opens, in a process of its own. It runs dEQP's cases as any worker does.
 * Arguments: the queue's address, and the worker's tags as JSON.
 * @module
 */
import { Queue } from "../../../../cli/queue/connect.ts";
import { sweep, workerFolder } from "../../../../cli/queue/temporary.ts";
import { handlersOf } from "../../../../cli/queue/worker_main.ts";
import { Worker } from "../../../../cli/queue/worker.ts";
import { standInCard } from "../stand_in_worker.ts";

const [url, tags = "{}"] = Deno.args, drain = new AbortController();
Deno.addSignalListener("SIGTERM", () => drain.abort());
const queue = await Queue.open({ url }), folder = workerFolder(), card = standInCard({ tags: JSON.parse(tags) });
const tidy = () => sweep(folder);
console.log("ready");
await new Worker({ queue, card, handlers: handlersOf(folder), drain: drain.signal, tidy }).run();
await queue.close();
Deno.removeSync(folder, { recursive: true });
tidy();
Deno.exit(0);
