import "../support/warm.ts";
import { assertEquals } from "@std/assert";
import { acquire64, invoke } from "../../ffi/machine.ts";
import { fixture, NEEDS_FIXTURE } from "./fixture.ts";
import type { Left, Order } from "./thread_end_worker.ts";

const ENDS = ["terminate", "close", "throw"] as const;

function startWorker(): Worker {
  const worker = new Worker(new URL("thread_end_worker.ts", import.meta.url), { type: "module" });
  worker.onerror = (event) => event.preventDefault();
  return worker;
}

function ask<Answer>(worker: Worker, order: Order): Promise<Answer> {
  return new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.postMessage(order);
  });
}

/** Ends when the worker's thread has. */
async function untilGone({ flag }: Left): Promise<void> {
  while (acquire64(flag) === 0n) await new Promise((resolve) => setTimeout(resolve, 1));
}

for (const how of ENDS) {
  const name = `callbacks of a worker that ended by ${how} go to next, or fail, on every thread`;
  Deno.test(name, NEEDS_FIXTURE, async () => {
    const worker = startWorker(), left = await ask<Left>(worker, { make: fixture("succeed") });
    assertEquals(await ask(worker, { call: [left.callbacks[0]] }), [-1]); // its own thread runs the handler
    if (how === "terminate") worker.terminate();
    else worker.postMessage(how);
    await untilGone(left);
    assertEquals(left.callbacks.map((address) => invoke(address, "s:q", [7n])), [7, 7, -3]);
    // A later thread may get the place of the one that ended, and its thread pointer.
    const later = startWorker(), others = await ask<Left>(later, { make: fixture("succeed") });
    assertEquals(await ask(later, { call: left.callbacks }), [7, 7, -3]);
    later.terminate();
    await untilGone(others);
  });
}
