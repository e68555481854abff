import { assertEquals } from "@std/assert";
import { acquire64, invokeAddress } from "../../ffi/machine.ts";
import { compileFixture } from "../support/compile.ts";
import { runProgram } from "../support/subprocess.ts";
import { fixture, NEEDS_FIXTURE } from "./fixture.ts";
import { ask, startWorker } from "./ending_worker.ts";
import type { Left } from "./thread_end_worker.ts";
import { until } from "../support/until.ts";

const ENDS = ["terminate", "close", "throw"] as const;

/** Ends when the worker's thread has. */
async function untilGone({ flag }: Left): Promise<void> {
  await until("the flag is set", () => acquire64(flag) !== 0n);
}

for (const how of ENDS) {
  const name = `callbacks of a worker that ended by ${how} go to next, or fail, on every thread`;
  Deno.test(name, NEEDS_FIXTURE, async () => {
    const worker = startWorker(), left = await ask<Left>(worker, { make: fixture("succeed") });
    assertEquals(await ask(worker, { call: [left.callbacks[0]] }), [-1]); // its own thread runs the handler
    if (how === "terminate") worker.terminate();
    else worker.postMessage(how);
    await untilGone(left);
    assertEquals(left.callbacks.map((address) => invokeAddress(address, "s:q", [7n])), [7, 7, -3, -3]);
    // A later thread may get the place of the one that ended, and its thread pointer.
    const later = startWorker(), others = await ask<Left>(later, { make: fixture("succeed") });
    assertEquals(await ask(later, { call: left.callbacks }), [7, 7, -3, -3]);
    later.terminate();
    await untilGone(others);
  });
}

for (const how of ENDS) {
  Deno.test(`a thread that waits for a worker when that ends by ${how} goes on to next`, NEEDS_FIXTURE, async () => {
    for (const [callback, answer] of [[1, 7], [3, -3]]) {
      const worker = startWorker(), left = await ask<Left>(worker, { make: fixture("succeed") });
      const held = new Int32Array(new SharedArrayBuffer(8));
      await ask(worker, { hold: how, until: held });
      const waits = new Promise((resolve) => worker.onmessage = resolve);
      invokeAddress(fixture("start_on_thread"), "v:qq", [left.callbacks[callback], 7n]);
      if (how === "terminate") {
        await waits;
        worker.terminate();
        Atomics.store(held, 0, 1); // no worker is torn out of what it runs
        Atomics.notify(held, 0);
      }
      await until("the native thread is done", () => invokeAddress(fixture("done"), "w:", []) !== 0);
      assertEquals(invokeAddress(fixture("loose_result"), "s:", []), answer);
      await untilGone(left);
    }
  });
}

/** Every second race holds the gate's thread up until the worker is gone: what Deno has freed by then, it would enter. */
const RACES = Deno.build.arch === "x86_64" ? 90 : 6; // emulated, one takes seconds

Deno.test("a worker may end in the moment of a thread's first call that waits for it", NEEDS_FIXTURE, () => {
  const { code, stdout, output } = runProgram("tests/ffi/thread_end_races.ts", [String(RACES)], {
    flags: ["--no-check"],
    seconds: 120,
  });
  assertEquals([code, stdout.trim()], [0, `${RACES} races`], output);
});

Deno.test(
  "a worker's library may call the worker back when it is unloaded, and when the thread ends",
  NEEDS_FIXTURE,
  () => {
    const { code, stdout, output } = runProgram("tests/ffi/last_words.ts", [compileFixture("last_words")!], {
      flags: ["--no-check"],
      seconds: 60,
    });
    const rows = ["close library -5", "terminate library -5", "close thread -5", "terminate thread -5"]; // the callback's failure: nobody is there
    assertEquals([code, stdout.trim().split("\n")], [0, rows], output);
  },
);
