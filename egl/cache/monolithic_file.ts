import { cacheChecksum } from "./checksum.ts";
import type { Entry } from "./lru.ts";

/** "EGL$" and "_Bb$", as little-endian words. */
const FILE_MAGIC = 0x244c4745, CACHE_MAGIC = 0x5f426224;
const CACHE_VERSION = 3, DEVICE_VERSION = 1;
/** Byte offsets in the file: the magic, the checksum of all that follows it, and what follows. */
const CHECKSUM = 4, PAYLOAD = 8;
/** Byte offsets in what follows; the header's size counts, where the build's name begins does not. */
const COUNT = 16, BUILD_LENGTH = 24, BUILD = 28, HEADER = 32, ENTRY_HEADER = 16;

const aligned = (size: number) => (size + 3) & ~3;

/** The file Android keeps a cache in: all entries, sorted by size and then by bytes, for one build of the system. */
export function encodeCacheFile(entries: Iterable<Entry>, buildId: string): Uint8Array<ArrayBuffer> {
  const build = new TextEncoder().encode(buildId), sorted = [...entries].sort(byKey);
  const start = aligned(HEADER + build.length);
  const sizes = sorted.map(({ key, value }) => aligned(ENTRY_HEADER + key.length + value.length));
  const file = new Uint8Array(PAYLOAD + start + sizes.reduce((sum, size) => sum + size, 0));
  const payload = file.subarray(PAYLOAD), view = new DataView(file.buffer, PAYLOAD);
  view.setUint32(0, CACHE_MAGIC, true);
  view.setUint32(4, CACHE_VERSION, true);
  view.setUint32(8, DEVICE_VERSION, true);
  view.setBigUint64(COUNT, BigInt(sorted.length), true);
  view.setInt32(BUILD_LENGTH, build.length, true);
  payload.set(build, BUILD);
  let at = start;
  sorted.forEach(({ key, value }, index) => {
    view.setBigUint64(at, BigInt(key.length), true);
    view.setBigUint64(at + 8, BigInt(value.length), true);
    payload.set(key, at + ENTRY_HEADER);
    payload.set(value, at + ENTRY_HEADER + key.length);
    at += sizes[index];
  });
  const head = new DataView(file.buffer);
  head.setUint32(0, FILE_MAGIC, true);
  head.setUint32(CHECKSUM, cacheChecksum(payload), true);
  return file;
}

/** Whether a file may be replaced by a cache, by its first bytes: it is a cache, or it is empty. */
export function isCacheStart(start: Uint8Array<ArrayBuffer>): boolean {
  return start.length === 0 || start.length >= 4 && viewOf(start).getUint32(0, true) === FILE_MAGIC;
}

function byKey({ key: one }: Entry, { key: other }: Entry): number {
  if (one.length !== other.length) return one.length - other.length;
  const index = one.findIndex((byte, at) => byte !== other[at]);
  return index < 0 ? 0 : one[index] - other[index];
}

/**
 * The entries of such a file, or the reason why it is not trusted, as a
 * sentence without a full stop. A file with any fault counts as a whole as
 * wrong.
 */
export function decodeCacheFile(file: Uint8Array<ArrayBuffer>, buildId: string): Entry[] | string {
  const head = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < PAYLOAD || head.getUint32(0, true) !== FILE_MAGIC) return "it is no EGL cache";
  const payload = file.subarray(PAYLOAD);
  if (head.getUint32(CHECKSUM, true) !== cacheChecksum(payload)) return "its checksum is wrong";
  return headerFault(payload, buildId) ?? decodeEntries(payload);
}

function headerFault(payload: Uint8Array<ArrayBuffer>, buildId: string): string | undefined {
  if (payload.length < HEADER) return "it ends inside its header";
  const view = viewOf(payload), length = view.getInt32(BUILD_LENGTH, true);
  if (view.getUint32(0, true) !== CACHE_MAGIC) return "it holds no cache";
  if (view.getUint32(4, true) !== CACHE_VERSION) return `it has version ${view.getUint32(4, true)}, not 3`;
  if (view.getUint32(8, true) !== DEVICE_VERSION) return "it is of another device version";
  if (length < 0 || HEADER + length > payload.length) return "it ends inside its build's name";
  const build = new TextDecoder().decode(payload.subarray(BUILD, BUILD + length));
  return build === buildId ? undefined : "it is of another build of the system";
}

function decodeEntries(payload: Uint8Array<ArrayBuffer>): Entry[] | string {
  const view = viewOf(payload), count = view.getBigUint64(COUNT, true), entries: Entry[] = [];
  let at = aligned(HEADER + view.getInt32(BUILD_LENGTH, true));
  for (let index = 0n; index < count; index++) {
    if (at + ENTRY_HEADER > payload.length) return "it ends before its last entry";
    const keySize = view.getBigUint64(at, true), valueSize = view.getBigUint64(at + 8, true);
    const start = at + ENTRY_HEADER, left = BigInt(payload.length - start);
    if (keySize > left || valueSize > left - keySize) return "an entry is larger than it";
    const middle = start + Number(keySize), end = middle + Number(valueSize);
    entries.push({ key: payload.slice(start, middle), value: payload.slice(middle, end) });
    at = aligned(end);
  }
  return entries;
}

function viewOf(bytes: Uint8Array<ArrayBuffer>): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
