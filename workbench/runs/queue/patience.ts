import { isPassing, troubleOf } from "./trouble.ts";

/** The time for which a server may be away, in milliseconds. */
export const AWAY = 600_000;
const SHORTEST = 50, LONGEST = 2000;

/** Resolves after a time, or when the signal comes. */
export function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
  });
}

/** Waits for a promise, but no longer than a time, and only until the signal. */
export async function atMost(milliseconds: number, promise: Promise<unknown>, signal?: AbortSignal): Promise<void> {
  const over = new AbortController(), until = AbortSignal.any([over.signal, ...signal ? [signal] : []]);
  try {
    await Promise.race([promise, delay(milliseconds, until)]);
  } finally {
    over.abort();
  }
}

/** Waits for a promise. Throws if the signal comes first. */
export async function unless<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  const over = Promise.withResolvers<never>(), end = () => over.reject(signal.reason);
  signal.addEventListener("abort", end);
  try {
    signal.throwIfAborted();
    return await Promise.race([promise, over.promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** The work that {@linkcode persist} repeats, and the time limit. */
export interface Persistence {
  /** The request in words that follow "the server failed at". */
  readonly what: string;
  /** Ends the attempts: the last error is thrown. */
  readonly signal?: AbortSignal;
  /** Milliseconds for all attempts. */
  readonly limit?: number;
  /** Says that attempts make sense no more. */
  readonly isOver?: () => boolean;
  /** Whether an error is worth another attempt. Default: while a server is away. */
  readonly again?: (error: unknown) => boolean;
}

/**
 * Makes a request until the request succeeds, while a server is away or starts. Throws a {@linkcode QueueTrouble} for a
 * request that will not succeed.
 */
export async function persist<Value>(
  request: () => Promise<Value>,
  { what, signal, limit = AWAY, isOver = () => false, again = isPassing }: Persistence,
): Promise<Value> {
  const end = performance.now() + limit;
  for (let wait = SHORTEST;; wait = Math.min(2 * wait, LONGEST)) {
    try {
      return await request();
    } catch (error) {
      if (!again(error) || signal?.aborted || isOver() || performance.now() > end) throw troubleOf(error, what);
    }
    await delay(wait, signal);
  }
}
