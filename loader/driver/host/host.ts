import { inFrame } from "../../../ffi/arena.ts";
import { readCString } from "../../../ffi/cstring.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { withCString } from "../../../ffi/library/proc_of.ts";

/** Whose rights a process runs with. */
export interface ProcessIdentity {
  /** Real and effective user. */
  readonly uid: number;
  /** Effective user. */
  readonly euid: number;
  /** Real group. */
  readonly gid: number;
  /** Effective group. */
  readonly egid: number;
  /** Whether the kernel marked the process as one that must distrust its environment (`AT_SECURE`). */
  readonly secure: boolean;
}

/** By what one sees that a file or folder has changed. */
export interface FileStamp {
  /** Another text when it has: of where it lies, its size and its times. `""` for nothing. */
  readonly text: string;
  /** When it changed last, in milliseconds since 1970; 0 for nothing. */
  readonly changed: number;
}

/** The stamp of nothing. */
export const NO_STAMP: FileStamp = { text: "", changed: 0 };

/** The machine as the driver search sees it. Tests give their own; the default is this process, through Deno. */
export interface Host {
  /** The operating system. */
  readonly system: "android" | "linux";
  /** An environment variable, `undefined` when unset; U+FFFD stands for bytes that are no UTF-8. Throws `Deno.errors.NotCapable` when it may not be read. */
  env(name: string): string | undefined;
  /** What is at a path, links followed; `undefined` for nothing. */
  exists(path: string): "file" | "folder" | "other" | undefined;
  /** A file's contents. Throws what `Deno.readFileSync` throws, and a `RangeError` for one that is too large to be read as text. */
  readFile(path: string): Uint8Array;
  /** The names in a folder, in any order. Throws what `Deno.readDirSync` throws. */
  readDir(path: string): string[];
  /** The path with every link resolved. Throws when there is nothing. */
  realPath(path: string): string;
  /** The stamp of what is at a path, links followed. Throws when that may not be looked at. */
  stamp(path: string): FileStamp;
  /** Whose rights the process runs with. */
  identity(): ProcessIdentity;
  /** The full path of the program that runs, links resolved; `""` when it may not be known. */
  executable(): string;
  /** Writes a line to standard error. */
  writeError(line: string): void;
}

let shared: Host | undefined;

/** This process, through Deno. */
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

/** Whether the process has rights that whoever started it has not: it must not let the environment choose its code. */
export function isElevated(host: Host): boolean {
  const { uid, euid, gid, egid, secure } = host.identity();
  return secure || uid !== euid || gid !== egid;
}

let refusal: Error | undefined;

/**
 * Asked for without permission, a variable would make Deno stop and prompt, one
 * by one. The error is always the same: making one takes longer than all else
 * that an instance waits for here.
 */
function readVariable(name: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable: name });
  if (state !== "granted") throw refusal ??= new Deno.errors.NotCapable("Requires env access");
  try {
    return Deno.env.get(name);
  } catch (error) {
    if (error instanceof Deno.errors.InvalidData) return readBytes(name);
    throw error;
  }
}

/** Deno reads no variable that is not UTF-8, but one that is set must not count as unset. */
function readBytes(name: string): string {
  return withCString(name, (text) => readCString(invokeAddress(libcAddress("getenv"), "q:q", [text]) as bigint));
}

/** Through the C library: none of Deno's own operations may be called when Deno itself calls the loader. */
function errorWriter(): (line: string) => void {
  const STDERR = 2, write = libcAddress("write");
  return (line) =>
    inFrame((memory) => {
      const bytes = new TextEncoder().encode(line + "\n");
      invokeAddress(write, "q:wqq", [STDERR, memory.place(bytes), BigInt(bytes.length)]);
    });
}

/** What the search reads is text of some kilobytes; a larger file is something else. */
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

/** Through the C library, because Deno.uid() needs a permission and there is no Deno.euid(). */
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
