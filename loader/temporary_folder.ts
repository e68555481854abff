/** The names of all such folders: nobody else's are removed. */
const NAMES = /^\.?pumice-[a-z]+-[0-9a-f]{8,}\.tmp$/;

/** A folder for temporary files. */
export interface TemporaryFolder extends Disposable {
  /** The folder's path. */
  readonly path: string;
}

/**
 * Makes a folder for temporary files, which ends when it is disposed of. A process that is killed leaves its folders
 * behind; the next call removes them, whatever their purpose was. Each folder is locked as long as its process lives.
 *
 * @param purpose Small letters, a part of the folder's name.
 * @param dir Where the folder is made. Default: the system's folder for temporary files.
 * @throws {Deno.errors.NotFound} for a `dir` that is not there, and where the system has no folder for temporary files.
 */
export function temporaryFolder(purpose: string, dir?: string): TemporaryFolder {
  // A folder among somebody's own files is hidden.
  const options = { dir, prefix: `${dir === undefined ? "" : "."}pumice-${purpose}-`, suffix: ".tmp" };
  for (;;) {
    const path = newFolder(options), lock = lockOf(path);
    if (lock === undefined) continue;
    sweepFolders(path.slice(0, path.lastIndexOf("/")));
    return { path, [Symbol.dispose]: () => end(path, lock) };
  }
}

function newFolder(options: Deno.MakeTempOptions): string {
  try {
    return Deno.makeTempDirSync(options);
  } catch (error) {
    if (options.dir !== undefined || !(error instanceof Deno.errors.NotFound)) throw error;
    throw new Deno.errors.NotFound("There is no folder for temporary files; set TMPDIR to a folder that is there", {
      cause: error,
    });
  }
}

/** Removes folders of processes that were killed, among those of a folder. Others' folders stay. */
export function sweepFolders(dir: string): void {
  for (const { name, isDirectory } of entriesOf(dir)) {
    if (!isDirectory || !NAMES.test(name)) continue;
    try {
      sweep(`${dir}/${name}`);
    } catch {
      // another process was quicker, or the folder is another user's
    }
  }
}

/** Returns the entries of a folder; none where the process may not look. */
function entriesOf(dir: string): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(dir)];
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied) return [];
    throw error;
  }
}

/** Locks a new folder; `undefined` if another process took the folder for one that was left behind. */
function lockOf(path: string): Deno.FsFile | undefined {
  let lock: Deno.FsFile | undefined;
  try {
    lock = Deno.openSync(path);
    lock.lockSync(true);
    Deno.statSync(path);
    return lock;
  } catch (error) {
    lock?.close();
    if (error instanceof Deno.errors.NotFound) return undefined;
    Deno.removeSync(path); // the folder is empty; without the permission to read it cannot be locked
    throw error;
  }
}

function end(path: string, lock: Deno.FsFile): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  } finally {
    closeOnce(lock);
  }
}

function closeOnce(lock: Deno.FsFile): void {
  try {
    lock.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error; // a second end does nothing
  }
}

function sweep(path: string): void {
  using lock = Deno.openSync(path);
  // Deno has had this since some versions after the oldest that is supported.
  const isFree = "tryLockSync" in lock && lock.tryLockSync(true);
  if (isFree) Deno.removeSync(path, { recursive: true });
}
