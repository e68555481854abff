import { readWhole, removeIfThere, replaceFile } from "../../ffi/file/whole_file.ts";
import { cacheChecksum } from "./checksum.ts";
import type { Entry } from "./lru.ts";

/** The properties of an entry's file that are known without reading the file. */
export interface EntryFile {
  /** The hash that is its name. */
  readonly hash: number;
  /** Size of the file in bytes, with the header. */
  readonly size: number;
  /** The time of the last use or writing, in milliseconds since 1970. */
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

/** "$BFM", for Android writes its "MFB$" as a word. */
const MAGIC = 0x4d464224;
/** Byte offsets in an entry's file and in the status; the checksum is of all that follows it. */
const CHECKSUM = 4, CHECKED = 8, KEY_SIZE = 8, VALUE_SIZE = 16;
/** Bytes before an entry's key. */
export const ENTRY_HEADER = 24;
const STATUS_SIZE = 104, VERSION = 8, BUILD = 12, BUILD_SIZE = 92;

/** The name of the file that says what build of the system the entries are of. */
const STATUS_NAME = "cache.status";

/** The file of one entry. */
export function encodeEntry({ key, value }: Entry): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(ENTRY_HEADER + key.length + value.length), view = new DataView(file.buffer);
  view.setBigInt64(KEY_SIZE, BigInt(key.length), true);
  view.setBigInt64(VALUE_SIZE, BigInt(value.length), true);
  file.set(key, ENTRY_HEADER);
  file.set(value, ENTRY_HEADER + key.length);
  return sealed(file, ENTRY_HEADER); // the sizes are left out
}

/** The entry in a file; `undefined` for a file that is not trusted. */
export function decodeEntry(file: Uint8Array<ArrayBuffer>): Entry | undefined {
  if (file.length < ENTRY_HEADER || !isSealed(file, ENTRY_HEADER)) return undefined;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const keySize = view.getBigInt64(KEY_SIZE, true), valueSize = view.getBigInt64(VALUE_SIZE, true);
  const all = BigInt(file.length - ENTRY_HEADER);
  if (keySize < 0n || keySize > all || valueSize !== all - keySize) return undefined;
  const middle = ENTRY_HEADER + Number(keySize);
  return { key: file.subarray(ENTRY_HEADER, middle), value: file.subarray(middle) };
}

/** The content of the file that names the owner of the entries. A build's name too long for its room is cut. */
export function encodeStatus(version: number, buildId: string): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(STATUS_SIZE), view = new DataView(file.buffer);
  view.setUint32(VERSION, version, true);
  new TextEncoder().encodeInto(buildId, file.subarray(BUILD, BUILD + BUILD_SIZE - 1));
  return sealed(file, CHECKED);
}

/** Whether a status is whole, and of this version and build. */
export function isStatus(file: Uint8Array<ArrayBuffer>, version: number, buildId: string): boolean {
  if (file.length !== STATUS_SIZE || !isSealed(file, CHECKED)) return false;
  const build = file.subarray(BUILD), end = build.indexOf(0), wanted = encodeStatus(version, buildId).subarray(BUILD);
  const isSame = end >= 0 && build.subarray(0, end + 1).every((byte, index) => byte === wanted[index]);
  return isSame && new DataView(file.buffer, file.byteOffset).getUint32(VERSION, true) === version;
}

function sealed(file: Uint8Array<ArrayBuffer>, from: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(file.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(CHECKSUM, cacheChecksum(file.subarray(from)), true);
  return file;
}

function isSealed(file: Uint8Array<ArrayBuffer>, from: number): boolean {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  return view.getUint32(0, true) === MAGIC && view.getUint32(CHECKSUM, true) === cacheChecksum(file.subarray(from));
}
