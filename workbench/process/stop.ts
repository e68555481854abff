/** The signals that ask a program to end. A terminal that closes sends SIGHUP. */
export const ENDINGS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The exit code of a program that Ctrl-C stopped, as shells have it. */
export const STOPPED = 130;

/** The reactions of a program to signals. */
export interface StopOptions {
  /** Whether SIGHUP counts, too; false by default. */
  readonly hangup?: boolean;
  /**
   * The effect of a second signal: `"end"` ends the process, the default; `"hurry"` aborts `hurry`; `"nothing"` does
   * nothing, for a program that must tidy up whatever comes.
   */
  readonly second?: "end" | "hurry" | "nothing";
}

/** The wish to stop, by Ctrl-C or another signal. */
export interface Stop extends Disposable {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Aborted by the second signal, where `second` is `"hurry"`. */
  readonly hurry: AbortSignal;
  /** Resolves with the first signal. */
  readonly told: Promise<void>;
}

/** Listens for the wish to stop. */
export function untilStopped({ hangup = false, second = "end" }: StopOptions = {}): Stop {
  const first = new AbortController(), hurry = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  const hearing = hearSignals(ENDINGS.filter((each) => hangup || each !== "SIGHUP"), () => {
    if (second === "end") hearing[Symbol.dispose]();
    if (second === "hurry" && first.signal.aborted) hurry.abort();
    first.abort();
    resolve();
  });
  const dispose = () => hearing[Symbol.dispose]();
  return { signal: first.signal, hurry: hurry.signal, told: promise, [Symbol.dispose]: dispose };
}

/** Calls `hear` for each of the signals until it is disposed of. */
export function hearSignals(signals: readonly Deno.Signal[], hear: (signal: Deno.Signal) => void): Disposable {
  const listeners = signals.map((signal) => [signal, () => hear(signal)] as const);
  for (const [signal, listener] of listeners) Deno.addSignalListener(signal, listener);
  return {
    [Symbol.dispose]() {
      for (const [signal, listener] of listeners) Deno.removeSignalListener(signal, listener);
    },
  };
}

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
