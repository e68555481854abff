import type { ThreadOrders } from "./job_table.ts";
import { threadMain } from "./thread_main.ts";

/**
 * Starts the fence worker's thread. It needs no permission beyond `--allow-ffi`,
 * starts also while this thread is blocked, and lets the process end.
 */
export function startThread(orders: ThreadOrders): void {
  if (!startWebWorker(orders)) startNodeWorker(orders);
}

/**
 * Starts it as a `Worker`, which has no public way to let the process end
 * before it: what `node:worker_threads` uses for its `unref()` does. `false`
 * where that is not there.
 */
export function startWebWorker(orders: ThreadOrders): boolean {
  const setReferenced = Object.getOwnPropertySymbols(Worker.prototype).find((symbol) => !symbol.description);
  if (setReferenced === undefined) return false;
  const source = `onmessage = ({ data }) => { try { (${threadMain})(data); } finally { close(); } };`;
  // The module is its own address: nothing is read or fetched for it.
  const url = `data:text/javascript,${encodeURIComponent(source)}`;
  const worker = new Worker(url, { type: "module", name: "fences" });
  (worker as unknown as Record<symbol, (referenced: boolean) => void>)[setReferenced](false);
  worker.postMessage(orders);
  return true;
}

/** What is used of `node:worker_threads`. */
interface NodeThreads {
  Worker: new (source: string, options: { eval: true; workerData: unknown }) => { unref(): void };
}

/** Starts it as node's `Worker`, which takes several times as long and twice the memory, but has a public `unref()`. */
export function startNodeWorker(orders: ThreadOrders): void {
  const { process } = globalThis as unknown as { process: { getBuiltinModule(name: string): unknown } };
  const { Worker } = process.getBuiltinModule("node:worker_threads") as NodeThreads;
  const source = `(${threadMain})(require("node:worker_threads").workerData);`;
  new Worker(source, { eval: true, workerData: orders }).unref();
}
