import type { FollowingHost } from "./following_host.ts";
import type { FileStamp, Host } from "./host.ts";

/**
 * A change shortly before an examination may be followed by another within the
 * same tick of the file system's clock.
 */
const TICK = 50;

/** Findings about a machine, and how to check whether they still hold. */
type Sights = Map<string, { readonly seen: string; readonly again: () => string }>;

/**
 * An answer computed from a machine. It is valid while all variables, files and
 * folders that were examined for it are unchanged. Checking that is much faster
 * than computing the answer.
 */
export class Remembered<T> {
  #answer: { readonly value: T; readonly sights: Sights; readonly isFresh: boolean } | undefined;
  /** The moment of the last check. */
  #moment = -1;

  /**
   * Returns the answer: the same object as before while nothing has changed,
   * otherwise the new result of `work`. On a frozen host nothing changes.
   */
  get(host: FollowingHost, work: (host: Host) => T): T {
    const known = this.#answer, before = this.#moment;
    this.#moment = host.moment;
    if (known && (host.isFrozen || before === host.moment)) return known.value;
    if (known && !known.isFresh && isSame(known.sights)) return known.value;
    const sights: Sights = new Map(), began = Date.now();
    let isFresh = false;
    const watch = (stamp: FileStamp) => {
      isFresh ||= stamp.changed > began - TICK;
      return stamp.text;
    };
    const value = work(watched(host, sights, watch));
    this.#answer = { value, sights, isFresh };
    return value;
  }

  /** Makes the next call compute the answer again. */
  forget(): void {
    this.#answer = undefined;
  }
}

function isSame(sights: Sights): boolean {
  for (const { seen, again } of sights.values()) if (again() !== seen) return false;
  return true;
}

/** Returns a host that notes what is examined. */
function watched(host: Host, sights: Sights, watch: (stamp: FileStamp) => string): Host {
  function note(key: string, seen: string, again: () => string): void {
    if (!sights.has(key)) sights.set(key, { seen, again });
  }
  function look(path: string): void {
    const key = `at ${path}`;
    if (!sights.has(key)) note(key, attempt(() => watch(host.stamp(path))), () => attempt(() => host.stamp(path).text));
  }
  return {
    ...host,
    env(name) {
      const again = () => attempt(() => valueText(host.env(name)));
      note(`env ${name}`, again(), again);
      return host.env(name);
    },
    exists(path) {
      look(path);
      return host.exists(path);
    },
    readFile(path) {
      look(path);
      return host.readFile(path);
    },
    readDir(path) {
      look(path);
      return host.readDir(path);
    },
    realPath(path) {
      look(path);
      return host.realPath(path);
    },
    stamp(path) {
      look(path);
      return host.stamp(path);
    },
    identity() {
      const again = () => Object.values(host.identity()).join();
      note("identity", again(), again);
      return host.identity();
    },
  };
}

/** An unset variable differs from an empty one. */
function valueText(value: string | undefined): string {
  return value === undefined ? "unset" : `=${value}`;
}

/** A place that may not be examined looks the same each time. */
function attempt(look: () => string): string {
  try {
    return look();
  } catch {
    return "refused";
  }
}
