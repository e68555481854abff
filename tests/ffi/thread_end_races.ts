/** Ends workers, one after another, in the moment of another thread's first call that waits for them; prints how many. */
import { acquire64, invokeAddress } from "../../ffi/machine.ts";
import { fixture } from "./fixture.ts";
import { ask, startWorker } from "./ending_worker.ts";
import type { Ending, Left } from "./thread_end_worker.ts";

const ROUNDS = Number(Deno.args[0]), ENDS: readonly Ending[] = ["terminate", "close", "throw"];

const pause = () => new Promise((resolve) => setTimeout(resolve, 1));

const native = (name: string, signature = "w:", args: bigint[] = []) => invokeAddress(fixture(name), signature, args);

/** A worker ends while its gate's thread is kept from waking it, or just when that does. */
async function race(how: Ending, isKept: boolean): Promise<void> {
  const worker = startWorker();
  const { flag, callbacks } = await ask<Left>(worker, { make: fixture("succeed") });
  const until = new Int32Array(new SharedArrayBuffer(8));
  const keeping = { from: fixture("keep_from"), keep: fixture("keep"), kept: fixture("kept") };
  await ask(worker, { hold: how, until, keeping: isKept ? keeping : undefined });
  const waits = new Promise((resolve) => worker.onmessage = resolve);
  native("start_on_thread", "v:qq", [callbacks[1], 7n]);
  if (how === "terminate") {
    await waits;
    worker.terminate();
    Atomics.store(until, 0, 1);
    Atomics.notify(until, 0);
  }
  while (native("done") === 0 || acquire64(flag) === 0n) await pause();
  if (isKept) native("let_go", "v:");
  while (isKept && native("kept") !== 0) await pause();
  const result = native("loose_result", "s:");
  if (result !== 7) throw new Error(`${how}: the call returned ${result}`);
}

for (let round = 0; round < ROUNDS; round++) await race(ENDS[round % 3], round % 2 === 0);
console.log(ROUNDS, "races");
