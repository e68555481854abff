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
  const handlers = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => {
    const handler = () => {
      if (signal !== "SIGINT") kill(signal);
    };
    Deno.addSignalListener(signal, handler);
    return [signal, handler] as const;
  });
  const end = () => handlers.forEach(([signal, handler]) => Deno.removeSignalListener(signal, handler));
  try {
    const child = command.spawn();
    kill = (signal) => child.kill(signal);
    child.status.then(() => kill = () => {});
    return { child, [Symbol.dispose]: end };
  } catch (error) {
    end();
    throw error;
  }
}
