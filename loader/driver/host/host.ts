import { inFrame } from "../../../ffi/arena.ts";
import { readCString } from "../../../ffi/cstring.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { withCString } from "../../../ffi/library/library.ts";
import { invokeAddress } from "../../../ffi/machine.ts";

/** The user rights of a process. */
export interface ProcessIdentity {
  /** Real user. */
  readonly uid: number;
  /** Effective user. */
  readonly euid: number;
  /** Real group. */
  readonly gid: number;
  /** Effective group. */
  readonly egid: number;
  /** Whether the kernel marked the process as one that must not trust its environment (`AT_SECURE`). */
  readonly secure: boolean;
}

/** Shows whether a file or folder has changed. */
export interface FileStamp {
  /** A text that differs after a change: made from the place, the size and the times. `""` for nothing. */
  readonly text: string;
  /** Time of the last change, in milliseconds since 1970; 0 for nothing. */
  readonly changed: number;
}

/** The stamp of nothing. */
export const NO_STAMP: FileStamp = { text: "", changed: 0 };

/** The machine as the driver search sees it. Tests give their own. The default is this process, through Deno. */
export interface Host {
  /** The operating system. */
  readonly system: "android" | "linux";
  /**
   * Returns an environment variable; `undefined` if unset. Bytes that are not
   * UTF-8 become U+FFFD. Throws `Deno.errors.NotCapable` if the variable may
   * not be read.
   */
  env(name: string): string | undefined;
  /** Returns what is at a path, following links; `undefined` for nothing. */
  exists(path: string): "file" | "folder" | "other" | undefined;
  /** Reads a file. Throws the errors of `Deno.readFileSync`, and a `RangeError` if the file is too large for a text. */
  readFile(path: string): Uint8Array;
  /** Returns the names in a folder, in any order. Throws the errors of `Deno.readDirSync`. */
  readDir(path: string): string[];
  /** Returns the path with every link resolved. Throws if there is nothing. */
  realPath(path: string): string;
  /** Returns the stamp of a path, following links. Throws if the path may not be examined. */
  stamp(path: string): FileStamp;
  /** Returns the user rights of the process. */
  identity(): ProcessIdentity;
  /** Returns the full path of the running program, with links resolved; `""` if it may not be read. */
  executable(): string;
  /** Writes a line to standard error. */
  writeError(line: string): void;
}

let shared: Host | undefined;

/** Returns this process, through Deno. */
export function denoHost(): Host {
  return shared ??= {
    system: Deno.build.os === "android" ? "android" : "linux",
    env: readVariable,
    exists: kindOf,
    readFile,
    readDir: (path) => [...Deno.readDirSync(path)].map((entry) => entry.name),
    realPath: (path) => Deno.realPathSync(path),
    stamp: readStamp,
    identity: identityReader(),
    executable: readExecutable,
    writeError: errorWriter(),
  };
}

/**
 * Whether the process has more rights than the user who started it. Such a
 * process must not let the environment choose its code.
 */
export function isElevated(host: Host): boolean {
  const { uid, euid, gid, egid, secure } = host.identity();
  return secure || uid !== euid || gid !== egid;
}

let refusal: Error | undefined;
/** The permission for all variables. Its state follows what the program grants and revokes. */
let whole: Deno.PermissionStatus | undefined;

/**
 * Deno prompts for each variable that is read without permission. The error is
 * always the same object, because making one takes longer than everything else
 * that an instance waits for here.
 */
function readVariable(name: string): string | undefined {
  whole ??= Deno.permissions.querySync({ name: "env" });
  const isGranted = ({ state }: Deno.PermissionStatus) => state === "granted";
  if (!isGranted(whole) && !isGranted(Deno.permissions.querySync({ name: "env", variable: name }))) {
    throw refusal ??= new Deno.errors.NotCapable("Requires env access");
  }
  try {
    return Deno.env.get(name);
  } catch (error) {
    if (error instanceof Deno.errors.InvalidData) return readBytes(name);
    throw error;
  }
}

/** Deno does not read variables that are not UTF-8, but a set variable must not count as unset. */
function readBytes(name: string): string {
  return withCString(name, (text) => readCString(invokeAddress(libcAddress("getenv"), "q:q", [text]) as bigint));
}

/** Uses the C library, because none of Deno's operations may be called while Deno itself calls the loader. */
function errorWriter(): (line: string) => void {
  const STDERR = 2, write = libcAddress("write");
  return (line) =>
    inFrame((memory) => {
      const bytes = new TextEncoder().encode(line + "\n");
      invokeAddress(write, "q:wqq", [STDERR, memory.place(bytes), BigInt(bytes.length)]);
    });
}

/** The search reads texts of some kilobytes. A larger file is something else. */
const MOST_BYTES = 1 << 24;

function readFile(path: string): Uint8Array {
  const { size } = Deno.statSync(path);
  if (size > MOST_BYTES) throw new RangeError(`it has ${size} bytes`);
  return Deno.readFileSync(path);
}

function kindOf(path: string): "file" | "folder" | "other" | undefined {
  try {
    const found = Deno.statSync(path);
    return found.isFile ? "file" : found.isDirectory ? "folder" : "other";
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return undefined;
  }
}

function readExecutable(): string {
  try {
    return Deno.execPath();
  } catch {
    return "";
  }
}

function readStamp(path: string): FileStamp {
  try {
    const { dev, ino, size, mtime, ctime } = Deno.statSync(path), times = [Number(mtime ?? 0), Number(ctime ?? 0)];
    return { text: [dev, ino, size, ...times].join(), changed: Math.max(...times) };
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return NO_STAMP;
  }
}

/** Uses the C library, because Deno.uid() needs a permission and there is no Deno.euid(). */
function identityReader(): () => ProcessIdentity {
  const AT_SECURE = 23n, addresses = new Map<string, bigint>();
  const find = (name: string) => addresses.get(name) ?? addresses.set(name, libcAddress(name)).get(name)!;
  const id = (name: string) => invokeAddress(find(name), "w:", []) as number;
  return () => ({
    uid: id("getuid"),
    euid: id("geteuid"),
    gid: id("getgid"),
    egid: id("getegid"),
    secure: invokeAddress(find("getauxval"), "q:q", [AT_SECURE]) !== 0n,
  });
}

/** The names of processors in folders of installed packages. */
const ABI: Readonly<Record<string, string>> = { aarch64: "arm64", x86_64: "x86_64" };

/**
 * Returns the folder of an installed package's native libraries, without
 * `root`: below /data/app, in a folder with its name, or its name and a random
 * part. `undefined` if there is none.
 */
export function installedLibraries(name: string, root: string, host: Host): string | undefined {
  const within = (folder: string) => {
    try {
      return host.readDir(root + folder).map((entry) => `${folder}/${entry}`);
    } catch {
      return [];
    }
  };
  const top = within("/data/app");
  const nested = top.filter((path) => /\/~~[^/]*$/.test(path)).flatMap(within);
  const home = [...top, ...nested].find((path) => {
    const last = path.slice(path.lastIndexOf("/") + 1);
    return last === name || last.startsWith(`${name}-`);
  });
  return home && `${home}/lib/${ABI[Deno.build.arch]}`;
}
