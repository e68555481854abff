import { ENDINGS, hearSignals } from "../workbench/process/stop.ts";

/** A child process to which this process leaves its end. */
export interface PassingChild extends Disposable {
  /** The process. */
  readonly child: Deno.ChildProcess;
}

/**
 * Starts a process and leaves the end to it, so that its layers can report:
 * hands on the signals that ask this process to end, from before the start on.
 * A terminal sends SIGINT to both. Throws what `spawn()` throws.
 */
export function spawnPassing(command: Deno.Command): PassingChild {
  let kill = (_signal: Deno.Signal) => {};
  const hearing = hearSignals(ENDINGS, (signal) => {
    if (signal !== "SIGINT") kill(signal);
  });
  try {
    const child = command.spawn();
    kill = (signal) => child.kill(signal);
    child.status.then(() => kill = () => {});
    return { child, [Symbol.dispose]: () => hearing[Symbol.dispose]() };
  } catch (error) {
    hearing[Symbol.dispose]();
    throw error;
  }
}
