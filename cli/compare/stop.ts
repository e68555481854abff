/** Signals that tell a program to end. */
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The exit code of a program that Ctrl-C stopped, as shells have it. */
export const STOPPED = 130;

/** The wish to stop, by Ctrl-C or SIGTERM. */
export interface Stop extends Disposable {
  readonly signal: AbortSignal;
}

/** Listens for the first wish to stop. A second one ends the process, as usual. */
export function untilStopped(): Stop {
  const controller = new AbortController();
  const deafen = () => {
    for (const each of SIGNALS) Deno.removeSignalListener(each, hear);
  };
  const hear = () => {
    deafen();
    controller.abort();
  };
  for (const each of SIGNALS) Deno.addSignalListener(each, hear);
  return { signal: controller.signal, [Symbol.dispose]: deafen };
}
