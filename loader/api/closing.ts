/** Runs all steps, even if some of them throw, and then throws the first error. */
export function carryOut(steps: Iterable<() => void>): void {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** The number of running message handlers. Native code waits for each of them and holds locks of its own. */
let handlers = 0;

/** Runs a message handler. */
export function inHandler<Result>(handler: () => Result): Result {
  handlers++;
  try {
    return handler();
  } finally {
    handlers--;
  }
}

/**
 * Postpones a `close` until nothing of this thread is running, if a running
 * hook or message handler still needs the object. Returns whether the call was
 * postponed.
 */
export function isPutOff(isHookRunning: boolean, close: () => void): boolean {
  if (!isHookRunning && handlers === 0) return false;
  queueMicrotask(close);
  return true;
}
