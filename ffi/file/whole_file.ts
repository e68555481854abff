/** The limits for reading a whole file. */
export interface ReadRules {
  /** The most bytes that the file may have; a larger one is not read. */
  readonly most: number;
  /** Whether a link to a file counts as one. */
  readonly links?: boolean;
}

/**
 * A file's bytes; `undefined` if there is no file; the reason, as a sentence
 * without a full stop, if the file cannot be read. Only a regular file is
 * opened: reading a pipe might never end.
 */
export function readWhole(
  path: string,
  { most, links = false }: ReadRules,
): Uint8Array<ArrayBuffer> | string | undefined {
  try {
    const found = links ? Deno.statSync(path) : Deno.lstatSync(path);
    if (!found.isFile) return "it is no regular file";
    if (found.size > most) return `it has ${found.size} bytes, more than ${most}`;
    return Deno.readFileSync(path);
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? undefined : (error as Error).message;
  }
}

/**
 * Returns the reason why no file can be put to a path, a sentence without a full stop: a folder, a link, a device, a
 * pipe or a socket is there. Returns `undefined` for a regular file and for nothing.
 */
export function obstacleAt(path: string): string | undefined {
  const found = entryAt(path);
  if (!found || found.isFile) return undefined;
  if (found.isDirectory) return "it is a folder";
  if (found.isSymlink) return "it is a link, which is not replaced";
  return `it is a ${found.isFifo ? "pipe" : found.isSocket ? "socket" : "device"}, which is not replaced`;
}

/**
 * Renames a file or a folder to a path of its own file system, where a regular file or nothing may be. Throws an
 * `AlreadyExists` for anything else, with {@linkcode obstacleAt}'s sentence.
 */
export function moveTo(path: string, from: string): void {
  const obstacle = obstacleAt(path);
  if (obstacle) throw new Deno.errors.AlreadyExists(`${obstacle}; give another path`);
  Deno.renameSync(from, path);
}

/**
 * Puts bytes into a file so that other processes see the old ones or all of the
 * new, and nobody but whom `mode` allows sees any. Throws what Deno and {@linkcode moveTo} throw; no
 * other file is left then.
 */
export function replaceFile(path: string, bytes: Uint8Array, mode: number): void {
  writeBeside(path, bytes, (fresh) => {
    Deno.chmodSync(fresh, mode);
    moveTo(path, fresh);
  }, 0);
}

/**
 * Writes a file where nothing is yet. Of several processes that do so at one moment, one writes the file, and others see
 * nothing or all of it. Returns whether this process wrote the file; `false` if something is at the path. Throws what
 * Deno throws.
 */
export function createWhole(path: string, content: Uint8Array | string): boolean {
  const bytes = bytesOf(content);
  try {
    try {
      writeBeside(path, bytes, (fresh) => linkTo(path, fresh));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      writeNew(path, bytes);
    }
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
}

/** Gives a file its name. A file system without links takes a copy, of which others see the beginning for a moment. */
function linkTo(path: string, fresh: string): void {
  try {
    Deno.linkSync(fresh, path);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes((error as { code?: string }).code ?? "")) throw error;
    writeNew(path, Deno.readFileSync(fresh));
  }
  Deno.removeSync(fresh);
}

/**
 * Writes a file that a user named. A regular file is replaced: other processes see the old contents or all of the new,
 * and the owner and the permission bits stay unless `mode` is given. A device, a pipe and the target of a link are
 * written where they are, and so is a file beside which nothing can be written. Throws what Deno throws.
 */
export function writeWhole(path: string, content: Uint8Array | string, mode?: number): void {
  const bytes = bytesOf(content), place = placeOf(path);
  if (place === "in place") return Deno.writeFileSync(path, bytes, { mode });
  try {
    writeBeside(path, bytes, (fresh) => {
      if (place) own(fresh, place, mode);
      moveTo(path, fresh);
    }, mode);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    Deno.writeFileSync(path, bytes, { mode });
  }
}

function bytesOf(content: Uint8Array | string): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

/** The file at a path that can be replaced, `undefined` for nothing there, or how to write otherwise. */
function placeOf(path: string): Deno.FileInfo | undefined | "in place" {
  const end = path.lastIndexOf("/"), folder = end < 0 ? "." : path.slice(0, end) || "/";
  // Renaming needs both permissions for the new file beside. Deno prompts for a permission that is not given.
  const may = (["read", "write"] as const).every((name) =>
    Deno.permissions.querySync({ name, path: folder }).state === "granted"
  );
  const found = may ? entryAt(path) : undefined;
  return !may || found && !found.isFile ? "in place" : found;
}

function own(fresh: string, { uid, gid, mode: before }: Deno.FileInfo, mode = before): void {
  if (uid !== null) Deno.chownSync(fresh, uid, gid);
  if (mode !== null) Deno.chmodSync(fresh, mode & 0o7777);
}

/** Whether the system refuses a file beside, or another owner's: the name is too long, or the folder takes no files. */
function isRefusal(error: unknown): boolean {
  return error instanceof Deno.errors.PermissionDenied || (error as { code?: string }).code === "ENAMETOOLONG";
}

/** Writes a file beside a path. `publish` gives the file its name; the file is removed if that throws. */
function writeBeside(path: string, bytes: Uint8Array, publish: (fresh: string) => void, mode?: number): void {
  const fresh = `${path}.${Math.floor(Math.random() * 2 ** 48)}.tmp`; // Workers share a process's number
  try {
    writeNew(fresh, bytes, mode);
    publish(fresh);
  } catch (error) {
    removeIfThere(fresh);
    throw error;
  }
}

function writeNew(path: string, bytes: Uint8Array, mode?: number): void {
  using file = Deno.openSync(path, { write: true, createNew: true, mode });
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
}

/** Returns the entry at a path itself; `undefined` for none. */
function entryAt(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Removes a file; whether it is gone. */
export function removeIfThere(path: string): boolean {
  try {
    Deno.removeSync(path);
    return true;
  } catch (error) {
    return error instanceof Deno.errors.NotFound;
  }
}
