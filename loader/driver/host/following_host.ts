import { denoHost, type Host } from "./host.ts";
import { libcHost } from "./libc_host.ts";

/** A machine that can be looked at inside callbacks, too, while it is told to. */
export interface FollowingHost extends Host {
  /** Whether none of Deno's operations may be called now. */
  readonly isQuiet: boolean;
  /** Whether nothing may be looked at now, so that what was seen last stays. */
  readonly isFrozen: boolean;
  /** Counts the moments: within one, nothing is taken to change. */
  readonly moment: number;
  /** Begins another moment. */
  next(): void;
  /** From now on looks as callbacks must; or no more. Not inside a callback. */
  follow(isQuiet: boolean): void;
}

/** A machine as a loader sees it: as `base`, which is this process unless a test gives another. */
export function followingHost(base: Host = denoHost()): FollowingHost {
  let now = base, isQuiet = false, isFrozen = false, moment = 0;
  return {
    system: base.system,
    env: (name) => now.env(name),
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
      now = native ?? base;
      moment++;
    },
  };
}
