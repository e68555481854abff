/**
 * Listens with the options of the first argument, asks itself to end with each signal that follows,
 * and prints what was aborted after each.
 */
import { hearSignals, untilStopped } from "../../../workbench/process/stop.ts";

const [options, ...signals] = Deno.args as [string, ...Deno.Signal[]], { hangup, second } = JSON.parse(options);
using stop = untilStopped(JSON.parse(options));
for (const each of signals) {
  await heard(each, second === undefined && (stop.signal.aborted || each === "SIGHUP" && !hangup));
  console.log(`${stop.signal.aborted} ${stop.hurry.aborted}`);
}

/** Kills this process with a signal, and waits for the signal or, where that ends the process, for the end. */
async function heard(signal: Deno.Signal, isEnd: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (isEnd) setTimeout(resolve, 60_000);
  // A listener of the program's own would keep a second signal from ending the process.
  using _ = isEnd ? undefined : hearSignals([signal], () => resolve());
  Deno.kill(Deno.pid, signal);
  await promise;
}
