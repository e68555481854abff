import { arena, inFrame, joinBytes } from "../../../ffi/arena.ts";
import { cstring, readCString } from "../../../ffi/cstring.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { denoHost, type FileStamp, type Host, NO_STAMP } from "./host.ts";

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
  /**
   * Takes note that native code found variables unset. Returns whether that is
   * what this machine would answer, so that nobody needs to ask it.
   */
  noteUnset(names: readonly string[]): boolean;
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
    noteUnset(names) {
      if (base !== denoHost() || isFrozen) return false;
      for (const name of names) known.set(name, undefined);
      return true;
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

/** The functions of the C library in use. */
const FUNCTIONS = ["getenv", "statx", "opendir", "readdir", "closedir", "open", "read", "close", "realpath"] as const;
type Functions = Readonly<Record<typeof FUNCTIONS[number], bigint>>;

const AT_FDCWD = -100, STATX_BASIC_STATS = 0x7ff, O_CLOEXEC = 0x80000;
/** `struct statx` of `linux/stat.h`: its size and the offsets of its members. A time is seconds and, 8 bytes later, nanoseconds. */
const STATX = { size: 256, mode: 28, ino: 32, length: 40, ctime: 96, mtime: 112, device: 136 };
/** S_IFMT and two of its values. */
const FILE_TYPE = 0xf000, FOLDER = 0x4000, REGULAR = 0x8000;
/** Offset of the name in `struct dirent`, and the length of the longest path. */
const DIRENT_NAME = 19n, PATH_MAX = 4096;
/** Bytes of a file that are read at a time, and the most in total. */
const CHUNK = 65536, MOST_BYTES = 1 << 21;

/**
 * Returns this process, through the C library: its environment and files as
 * native code sees them. Works inside callbacks, too, where none of Deno's
 * operations may be called. `undefined` where that would bypass Deno's
 * permissions, or where the C library lacks a function.
 */
function libcHost(): Host | undefined {
  const isAllowed = (["env", "read"] as const).every((name) =>
    Deno.permissions.querySync({ name }).state === "granted"
  );
  const found = FUNCTIONS.map((name) => [name, libcAddress(name)] as const);
  if (!isAllowed || found.some(([, address]) => address === 0n)) return undefined;
  const functions = Object.fromEntries(found) as Functions, program = denoHost().executable();
  return {
    ...denoHost(),
    env: (name) => withArena(() => textAt(invokeAddress(functions.getenv, "q:q", [place(name)]) as bigint)),
    exists: (path) => withArena(() => kindOf(statOf(functions, path))),
    readFile: (path) => withArena(() => readFile(functions, path)),
    readDir: (path) => withArena(() => readDir(functions, path)),
    realPath: (path) => withArena(() => realPath(functions, path)),
    stamp: (path) => withArena(() => stampOf(statOf(functions, path))),
    executable: () => program,
  };
}

function withArena<T>(work: () => T): T {
  return inFrame(() => work());
}

function place(text: string): bigint {
  return arena().place(cstring(text));
}

function textAt(address: bigint): string | undefined {
  return address === 0n ? undefined : readCString(address);
}

/** Returns the struct's offset in the arena; `undefined` for nothing. */
function statOf({ statx }: Functions, path: string): number | undefined {
  const out = arena().alloc(STATX.size);
  const result = invokeAddress(statx, "s:sqwwq", [AT_FDCWD, place(path), 0, STATX_BASIC_STATS, arena().address(out)]);
  return result === 0 ? out : undefined;
}

function kindOf(stat: number | undefined): ReturnType<Host["exists"]> {
  if (stat === undefined) return undefined;
  const type = arena().view.getUint16(stat + STATX.mode, true) & FILE_TYPE;
  return type === REGULAR ? "file" : type === FOLDER ? "folder" : "other";
}

function stampOf(stat: number | undefined): FileStamp {
  if (stat === undefined) return NO_STAMP;
  const { view } = arena(), u64 = (at: number) => view.getBigUint64(stat + at, true);
  const u32 = (at: number) => view.getUint32(stat + at, true);
  const time = (at: number) => 1000 * Number(u64(at)) + u32(at + 8) / 1e6;
  const place = [u32(STATX.device), u32(STATX.device + 4), u64(STATX.ino), u64(STATX.length)];
  const times = [u64(STATX.mtime), u32(STATX.mtime + 8), u64(STATX.ctime), u32(STATX.ctime + 8)];
  return { text: [...place, ...times].join(), changed: Math.max(time(STATX.mtime), time(STATX.ctime)) };
}

function readFile({ open, read, close }: Functions, path: string): Uint8Array {
  const file = invokeAddress(open, "s:qs", [place(path), O_CLOEXEC]) as number;
  if (file < 0) throw new Deno.errors.NotFound(`cannot open "${path}"`);
  const parts: Uint8Array[] = [], buffer = arena().alloc(CHUNK);
  try {
    for (let total = 0; total < MOST_BYTES;) {
      const got = Number(invokeAddress(read, "q:sqq", [file, arena().address(buffer), BigInt(CHUNK)]) as bigint);
      if (got <= 0 || got > CHUNK) break;
      parts.push(arena().bytes.slice(buffer, buffer + got));
      total += got;
    }
  } finally {
    invokeAddress(close, "s:s", [file]);
  }
  return joinBytes(parts);
}

function readDir({ opendir, readdir, closedir }: Functions, path: string): string[] {
  const folder = invokeAddress(opendir, "q:q", [place(path)]) as bigint, names: string[] = [];
  if (folder === 0n) throw new Deno.errors.NotFound(`cannot open "${path}"`);
  try {
    for (let entry; (entry = invokeAddress(readdir, "q:q", [folder]) as bigint) !== 0n;) {
      names.push(readCString(entry + DIRENT_NAME));
    }
  } finally {
    invokeAddress(closedir, "s:q", [folder]);
  }
  return names.filter((name) => name !== "." && name !== "..");
}

function realPath({ realpath }: Functions, path: string): string {
  const out = arena().address(arena().alloc(PATH_MAX));
  if (invokeAddress(realpath, "q:qq", [place(path), out]) === 0n) {
    throw new Deno.errors.NotFound(`cannot resolve "${path}"`);
  }
  return readCString(out);
}
