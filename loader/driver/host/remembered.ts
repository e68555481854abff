import type { FollowingHost } from "./following_host.ts";
import type { FileStamp, Host } from "./host.ts";

/** What changed so shortly before it was looked at may change again within the same tick of the file system's clock. */
const TICK = 50;

/** What was seen of a machine, and how to see whether it is still so. */
type Sights = Map<string, { readonly seen: string; readonly again: () => string }>;

/**
 * An answer that was worked out from a machine: good as long as all variables,
 * files and folders that were looked at for it are as they were. Seeing that is
 * much cheaper than working it out.
 */
export class Remembered<T> {
  #answer: { readonly value: T; readonly sights: Sights; readonly isFresh: boolean } | undefined;
  /** When that was seen to hold. */
  #moment = -1;

  /**
   * The answer: the same object as before while nothing has changed, else what
   * `work` makes of the machine now. On a frozen host nothing changes.
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

  /** Has the next answer be worked out anew. */
  forget(): void {
    this.#answer = undefined;
  }
}

function isSame(sights: Sights): boolean {
  for (const { seen, again } of sights.values()) if (again() !== seen) return false;
  return true;
}

/** A host that notes what is looked at. */
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

/** A variable that is unset differs from an empty one. */
function valueText(value: string | undefined): string {
  return value === undefined ? "unset" : `=${value}`;
}

/** What may not be looked at looks the same each time. */
function attempt(look: () => string): string {
  try {
    return look();
  } catch {
    return "refused";
  }
}
