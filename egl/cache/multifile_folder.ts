import { decodeEntry, encodeStatus, ENTRY_HEADER, isStatus, STATUS_NAME } from "./multifile_format.ts";
import type { Entry } from "./lru.ts";
import { readWhole, removeIfThere, replaceFile } from "../../ffi/file/whole_file.ts";

/** The properties of an entry's file that are known without reading the file. */
export interface EntryFile {
  /** The hash that is its name. */
  readonly hash: number;
  /** Size of the file in bytes, with the header. */
  readonly size: number;
  /** When it was last used or written, in milliseconds since 1970. */
  readonly time: number;
}

const FOLDER_MODE = 0o755, FILE_MODE = 0o600;
/** Files that we, or a process that was ended at the wrong moment, may have put there. */
const OURS = /^(\d+|cache\.status)(\.\d+\.tmp)?$/;
const HASH = /^(0|[1-9]\d{0,9})$/;

/** The folder of a cache with a file for each entry. Errors of the file system are thrown as Deno throws them. */
export class MultifileFolder {
  readonly #path: string;

  /** Sees a folder that may not be there yet. */
  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Makes the folder one of this version and build, and lists its entries, the
   * oldest first. If its status is missing or another, all files that look like
   * a cache's are removed, and `say` is called.
   */
  open(version: number, buildId: string, say: (reason: string) => void): EntryFile[] {
    Deno.mkdirSync(this.#path, { recursive: true, mode: FOLDER_MODE });
    const status = readWhole(`${this.#path}/${STATUS_NAME}`, { most: 4096 });
    if (status instanceof Uint8Array && isStatus(status, version, buildId)) return this.#list();
    const left = this.#names();
    if (left.length > 0) say(status === undefined ? "it has no status" : "its status is of another version or build");
    for (const name of left) removeIfThere(`${this.#path}/${name}`);
    replaceFile(`${this.#path}/${STATUS_NAME}`, encodeStatus(version, buildId), FILE_MODE);
    return [];
  }

  /** The entry in a file; one that is not trusted, or larger than anything may be, is removed. */
  read(hash: number, most: number): Entry | undefined {
    const path = `${this.#path}/${hash}`, file = readWhole(path, { most });
    const entry = file instanceof Uint8Array ? decodeEntry(file) : undefined;
    if (!entry && file !== undefined) removeIfThere(path);
    return entry;
  }

  /** Writes an entry's file. */
  write(hash: number, file: Uint8Array): void {
    replaceFile(`${this.#path}/${hash}`, file, FILE_MODE);
  }

  /** Removes an entry's file. */
  remove(hash: number): void {
    removeIfThere(`${this.#path}/${hash}`);
  }

  /**
   * Sets the time at which a file was last used, in milliseconds. If that
   * fails, the file counts as older than it is.
   */
  touch(hash: number, time: number): void {
    try {
      Deno.utimeSync(`${this.#path}/${hash}`, time / 1000, time / 1000);
    } catch {
      return; // it is gone, or somebody else's
    }
  }

  #names(): string[] {
    return [...Deno.readDirSync(this.#path)].map(({ name }) => name).filter((name) => OURS.test(name));
  }

  #list(): EntryFile[] {
    const files = this.#names().map((name) => this.#look(name)).filter((file) => file !== undefined);
    return files.sort((one, other) => one.time - other.time || one.hash - other.hash);
  }

  /** Accepts a regular file of an entry's name and size; removes anything else with such a name, and leftovers. */
  #look(name: string): EntryFile | undefined {
    if (name === STATUS_NAME) return undefined;
    const path = `${this.#path}/${name}`, hash = Number(name);
    try {
      const { isFile, size, mtime, atime } = Deno.lstatSync(path);
      const isEntry = isFile && HASH.test(name) && hash < 2 ** 32 && size >= ENTRY_HEADER;
      if (isEntry) return { hash, size, time: Math.max(Number(mtime), Number(atime)) };
    } catch {
      return undefined; // it went just now
    }
    if (!name.endsWith(".tmp") || isOld(path)) removeIfThere(path);
  }
}

/** A file that another process writes this very moment is left to it. */
function isOld(path: string): boolean {
  const MINUTE = 60_000;
  try {
    return Date.now() - Number(Deno.lstatSync(path).mtime) > MINUTE;
  } catch {
    return false;
  }
}
