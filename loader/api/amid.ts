/** How many handlers of messages are running: native code waits for each, with locks of its own. */
let handlers = 0;

/** Runs a handler of messages. */
export function inHandler<Result>(handler: () => Result): Result {
  handlers++;
  try {
    return handler();
  } finally {
    handlers--;
  }
}

/**
 * Puts off a closing until nothing of this thread is running, if there is a hook or a handler of messages that it would
 * take the ground from under; says whether it did.
 */
export function isPutOff(isHookRunning: boolean, close: () => void): boolean {
  if (!isHookRunning && handlers === 0) return false;
  queueMicrotask(close);
  return true;
}
