import { CACHE } from "../setup/parts.ts";
import type { BatchFolder } from "./temporary_files.ts";

/** A locale that every system has. */
const LOCALE = "C.UTF-8";
/** A folder that belongs to one user alone, as programs require of some folders. */
const PRIVATE = 0o700;

/**
 * The variables with which tests run alike on every machine: a locale that is there, a folder for the sockets of the
 * session, and a home in which this user may write. The home of another user, as `sudo` leaves it, is replaced. Mesa
 * keeps compiled shaders for the tests alone: a full cache of the user's is slower than none, and a driver that a test
 * lets go wrong may write into the cache, which is mapped.
 */
export function surroundingsIn({ path, temporary }: BatchFolder): Record<string, string> {
  const session = `${path}/run`;
  Deno.mkdirSync(session, { mode: PRIVATE });
  return {
    NO_COLOR: "1",
    DENO_NO_UPDATE_CHECK: "1",
    TMPDIR: temporary,
    LC_ALL: LOCALE,
    XDG_RUNTIME_DIR: session,
    MESA_SHADER_CACHE_DIR: `${CACHE}/mesa`,
    ...isOwn(Deno.env.get("HOME")) ? {} : homeIn(path),
  };
}

function isOwn(home: string | undefined): boolean {
  try {
    return home !== undefined && Deno.statSync(home).uid === Deno.uid();
  } catch {
    return false;
  }
}

/** A home below a batch's folder. */
function homeIn(path: string): Record<string, string> {
  const home = `${path}/home`;
  Deno.mkdirSync(home, { mode: PRIVATE });
  return { HOME: home, ...keptByDeno() };
}

/**
 * The variable by which another Deno finds what this one has fetched and compiled, wherever the other's home is. With
 * nothing of that, each program compiles all its modules anew.
 */
export function keptByDeno(): Record<string, string> {
  const { DENO_DIR, XDG_CACHE_HOME, HOME } = Deno.env.toObject(), cache = XDG_CACHE_HOME ?? (HOME && `${HOME}/.cache`);
  const folder = DENO_DIR ?? (cache && `${cache}/deno`);
  return folder ? { DENO_DIR: folder } : {};
}
