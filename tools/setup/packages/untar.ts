/** One regular file of an archive. */
export interface TarEntry {
  /** Path inside the archive, without a leading `../`. */
  name: string;
  /** Content; a view of the archive's own bytes. */
  bytes: Uint8Array;
}

const BLOCK = 512;

/**
 * The regular files of an uncompressed POSIX (ustar) archive, in order.
 * Folders, links and extended headers are passed over. Throws a `RangeError`
 * when the archive ends inside an entry.
 *
 * @example An archive without entries
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals([...untar(new Uint8Array(1024))], []);
 * ```
 */
export function* untar(archive: Uint8Array): Generator<TarEntry> {
  const decoder = new TextDecoder();
  const text = (at: number, size: number) => decoder.decode(archive.subarray(at, at + size)).replace(/\0.*$/s, "");
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0;) {
    const size = parseInt(text(at + 124, 12), 8) || 0;
    const start = at + BLOCK;
    if (start + size > archive.length) {
      throw new RangeError(`Cannot unpack "${text(at, 100)}": ${size} bytes expected, ${archive.length - start} left`);
    }
    const type = text(at + 156, 1);
    if (type === "0" || type === "") {
      const prefix = text(at + 345, 155);
      const name = (prefix === "" ? "" : `${prefix}/`) + text(at, 100);
      yield { name: name.replace(/^\.\//, ""), bytes: archive.subarray(start, start + size) };
    }
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
}
