import { denoHost, type Host } from "./host.ts";
import { libcHost } from "./libc_host.ts";

/** A machine that can also be examined inside callbacks, while it is told so. */
export interface FollowingHost extends Host {
  /** Whether none of Deno's operations may be called now. */
  readonly isQuiet: boolean;
  /** Whether nothing may be examined now, so that the last findings stay. */
  readonly isFrozen: boolean;
  /** Number of the moment. Within one moment, everything is assumed to be unchanged. */
  readonly moment: number;
  /** Begins the next moment. */
  next(): void;
  /** Switches between examining as callbacks must, and normally. Not for use inside a callback. */
  follow(isQuiet: boolean): void;
}

/** Returns a machine as a loader sees it. The default `base` is this process; tests give others. */
export function followingHost(base: Host = denoHost()): FollowingHost {
  let now = base, isQuiet = false, isFrozen = false, moment = 0;
  const known = new Map<string, string | undefined>();
  return {
    system: base.system,
    env(name) {
      const value = now.env(name);
      known.set(name, value);
      return value;
    },
    exists: (path) => now.exists(path),
    readFile: (path) => now.readFile(path),
    readDir: (path) => now.readDir(path),
    realPath: (path) => now.realPath(path),
    stamp: (path) => now.stamp(path),
    identity: () => now.identity(),
    executable: () => now.executable(),
    writeError: (line) => now.writeError(line),
    get isQuiet() {
      return isQuiet;
    },
    get isFrozen() {
      return isFrozen;
    },
    get moment() {
      return moment;
    },
    next() {
      moment++;
    },
    follow(quietly) {
      const native = quietly && base === denoHost() ? libcHost() : undefined;
      isQuiet = quietly;
      isFrozen = quietly && base === denoHost() && !native;
      now = native ?? (isFrozen ? frozenHost(base, known) : base);
      moment++;
    },
  };
}

/**
 * Returns a machine of which nothing new may be asked: the variables that were
 * read before are as they were, and everything else may not be read.
 */
function frozenHost(base: Host, known: ReadonlyMap<string, string | undefined>): Host {
  const identity = base.identity(), executable = base.executable();
  const refusal = new Deno.errors.NotCapable(
    "Requires read and env access as a whole, as Deno itself calls the loader",
  );
  const refuse = () => {
    throw refusal;
  };
  return {
    ...base,
    env: (name) => known.has(name) ? known.get(name) : refuse(),
    exists: () => undefined,
    readFile: refuse,
    readDir: refuse,
    realPath: refuse,
    stamp: refuse,
    identity: () => identity,
    executable: () => executable,
  };
}
