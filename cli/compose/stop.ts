/** The end of something that runs until it is told to stop. */
export interface Stop extends Disposable {
  /** Resolves when it is told, and rejects with the error that it was told with. */
  readonly promise: Promise<void>;
  /** Whether the signal to stop has come. */
  readonly isSet: boolean;
  /** Tells it; the first time counts. */
  now(error?: unknown): void;
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Resolves when the program is told to stop, also by Ctrl-C. */
export function untilStopped(): Stop {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isSet = false;
  const now = (error?: unknown) => {
    isSet = true;
    if (error === undefined) resolve();
    else reject(error);
  };
  const hear = () => now();
  for (const signal of SIGNALS) Deno.addSignalListener(signal, hear);
  promise.catch(() => {}); // who waits for it gets it
  return {
    promise,
    get isSet() {
      return isSet;
    },
    now,
    [Symbol.dispose]() {
      for (const signal of SIGNALS) Deno.removeSignalListener(signal, hear);
    },
  };
}
