/** Always the same list. Code that checks after each call whether the list is empty need not look the list up first. */
const faults: unknown[] = [];

/**
 * Stores an error that was thrown inside a callback. Native code lies between
 * the callback and the code that can catch the error.
 */
export function storeFault(error: unknown): void {
  faults.push(error);
}

/** Whether an error was thrown inside a callback since errors were last taken. */
export function hasFault(): boolean {
  return faults.length > 0;
}

/** Returns all errors thrown inside callbacks since they were last taken, the first one first. */
export function takeFaults(): unknown[] {
  return faults.splice(0);
}

/**
 * Returns the first error thrown inside any callback since errors were last
 * taken, and drops later ones. Returns `undefined` if there is none.
 */
export function takeFault(): unknown {
  return faults.length > 0 ? takeFaults()[0] : undefined;
}

/**
 * Throws the first error thrown inside any callback since errors were last
 * taken, if there is one. Call this function after each native call that may
 * call back.
 */
export function rethrowFault(): void {
  if (faults.length > 0) throw takeFaults()[0];
}
