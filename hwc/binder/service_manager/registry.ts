import type { BinderValue } from "../parcel/aidl/types.ts";

/** An object under a name, with its word of stability. */
export interface Registered {
  readonly object: BinderValue;
  /** The word behind the object in parcels of AIDL; 0 where there is none. */
  readonly stability: number;
}

/** Who is told of new objects. */
export interface Watcher {
  /** The object that is told, by which the watch is found again. */
  readonly object: BinderValue;
  /** Tells it. */
  tell(name: string, registered: Registered): void;
}

/** An object, and the names that it still has. */
interface Entry {
  readonly registered: Registered;
  readonly names: Set<string>;
  readonly forget: () => void;
}

/** Objects by their names, until their processes end or another takes the name. The registry releases what it keeps. */
export class Registry {
  readonly #entries = new Map<string, Entry>();
  readonly #watchers = new Map<string, (Watcher & { readonly forget: () => void })[]>();

  /** The names, sorted. */
  get names(): string[] {
    return [...this.#entries.keys()].sort();
  }

  /** Returns what is registered under a name; `undefined` if nothing is. */
  find(name: string): Registered | undefined {
    return this.#entries.get(name)?.registered;
  }

  /** Takes an object over by one name or more, in the place of earlier ones, and tells those who wait for the names. */
  add(names: readonly string[], registered: Registered): void {
    const forget = onDeath(registered.object, () => names.forEach((name) => this.#removeFrom(entry, name)));
    const entry: Entry = { registered, names: new Set(names), forget };
    for (const name of names) {
      this.remove(name);
      this.#entries.set(name, entry);
      for (const watcher of this.#watchers.get(name) ?? []) watcher.tell(name, registered);
    }
  }

  /** Forgets a name. */
  remove(name: string): void {
    const entry = this.#entries.get(name);
    if (entry) this.#removeFrom(entry, name);
  }

  #removeFrom(entry: Entry, name: string): void {
    if (!entry.names.delete(name)) return; // another object has taken the name
    this.#entries.delete(name);
    if (entry.names.size > 0) return;
    entry.forget();
    release(entry.registered.object);
  }

  /** Takes a watcher over, and tells it of the object that is there already. */
  watch(name: string, watcher: Watcher): void {
    const forget = onDeath(watcher.object, () => this.unwatch(name, watcher.object));
    const known = this.find(name), watchers = this.#watchers.get(name) ?? [];
    this.#watchers.set(name, [...watchers, { ...watcher, forget }]);
    if (known) watcher.tell(name, known);
  }

  /** Ends a watch. Returns whether there was one. */
  unwatch(name: string, object: BinderValue): boolean {
    const watchers = this.#watchers.get(name) ?? [], found = watchers.find((watcher) => isSame(watcher.object, object));
    if (!found) return false;
    this.#watchers.set(name, watchers.filter((watcher) => watcher !== found));
    found.forget();
    release(found.object);
    return true;
  }

  /** Forgets everything. */
  clear(): void {
    this.names.forEach((name) => this.remove(name));
    for (const [name, watchers] of this.#watchers) for (const { object } of watchers) this.unwatch(name, object);
  }
}

/** Whether two values are one object. */
export function isSame(one: BinderValue, other: BinderValue): boolean {
  if ("remote" in one) return "remote" in other && one.remote === other.remote;
  return "local" in other && one.local === other.local;
}

/** Gives a reference back that a message brought. */
export function release(object: BinderValue): void {
  if ("remote" in object) object.remote.release();
}

function onDeath(object: BinderValue, callback: () => void): () => void {
  return "remote" in object ? object.remote.onDeath(callback) : () => {};
}
