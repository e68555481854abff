/** Always the same list: whoever looks whether it is empty, after each call, need not look for it first. */
const faults: unknown[] = [];

/** Keeps what was thrown inside a callback, where native code lies between it and whoever can catch it. */
export function storeFault(error: unknown): void {
  faults.push(error);
}

/** Whether anything was thrown inside a callback since faults were last taken. */
export function hasFault(): boolean {
  return faults.length > 0;
}

/** Everything thrown inside callbacks since last taken, first one first. */
export function takeFaults(): unknown[] {
  return faults.splice(0);
}

/** The first error thrown inside any callback since last taken, `undefined` if there is none; later ones are dropped. */
export function takeFault(): unknown {
  return faults.length > 0 ? takeFaults()[0] : undefined;
}

/**
 * Throws the first error thrown inside any callback since last taken, if there
 * is one. Whoever makes a native call that may call back ends with this.
 */
export function rethrowFault(): void {
  if (faults.length > 0) throw takeFaults()[0];
}
