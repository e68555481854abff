import type { LocalObject } from "../bus.ts";

/** An object of this process that others may know. */
interface Entry {
  readonly id: bigint;
  readonly object: LocalObject;
  /** References of the kernel's, and messages under way that bring the object. */
  holds: number;
}

/** The objects of this process, by the numbers that the kernel knows them by. A number is never used again. */
export class LocalObjects {
  readonly #byId = new Map<bigint, Entry>();
  readonly #byObject = new Map<LocalObject, Entry>();
  #last = 0n;

  /** The number of objects that others may know. */
  get count(): number {
    return this.#byId.size;
  }

  /** Returns an object's number, and keeps the object until {@linkcode release}. */
  hold(object: LocalObject): bigint {
    let entry = this.#byObject.get(object);
    if (!entry) {
      entry = { id: this.#last += 16n, object, holds: 0 };
      this.#byId.set(entry.id, entry);
      this.#byObject.set(object, entry);
    }
    entry.holds++;
    return entry.id;
  }

  /** Keeps an object by its number. */
  holdAgain(id: bigint): void {
    const entry = this.#byId.get(id);
    if (entry) entry.holds++;
  }

  /** Ends one hold; an object that nobody holds is forgotten. */
  release(id: bigint): void {
    const entry = this.#byId.get(id);
    if (!entry || --entry.holds > 0) return;
    this.#byId.delete(id);
    this.#byObject.delete(entry.object);
    queueMicrotask(() => entry.object.released?.());
  }

  /** Returns the object of a number; `undefined` if there is none. */
  find(id: bigint): LocalObject | undefined {
    return this.#byId.get(id)?.object;
  }
}
