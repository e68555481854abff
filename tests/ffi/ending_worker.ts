import type { Order } from "./thread_end_worker.ts";

/** A worker that makes callbacks and ends as it is told; what it throws then is no failure. */
export function startWorker(): Worker {
  const worker = new Worker(new URL("thread_end_worker.ts", import.meta.url), { type: "module" });
  worker.onerror = (event) => event.preventDefault();
  return worker;
}

/** Gives it an order; its answer. */
export function ask<Answer>(worker: Worker, order: Order): Promise<Answer> {
  return new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.postMessage(order);
  });
}
