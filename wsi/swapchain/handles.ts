/** Handles of our own begin with this, which no address of a process does. */
const FIRST = 0x5057_0000_0000_0000n;
let last = FIRST;

/** Objects by handles of our own; no driver gives the same. */
export class HandleTable<T> {
  readonly #objects = new Map<bigint, T>();
  readonly #what: string;

  /** Without any yet. `what` they are is for messages. */
  constructor(what: string) {
    this.#what = what;
  }

  /** Gives an object a handle, which no other ever gets. */
  add(make: (handle: bigint) => T): T {
    const handle = ++last, object = make(handle);
    this.#objects.set(handle, object);
    return object;
  }

  /** The object of a handle; `undefined` if it is not ours. Throws a `TypeError` for one of ours that is gone: no driver would bear it. */
  get(handle: bigint): T | undefined {
    const found = this.#objects.get(handle);
    if (found || handle <= FIRST || handle > last) return found;
    throw new TypeError(`Cannot use 0x${handle.toString(16)}: that ${this.#what} was destroyed`);
  }

  /** Ends a handle. */
  remove(handle: bigint): void {
    this.#objects.delete(handle);
  }

  /** All objects. */
  all(): T[] {
    return [...this.#objects.values()];
  }
}
