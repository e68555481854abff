import { cacheChecksum } from "./checksum.ts";
import type { Entry } from "./lru.ts";

/** "$BFM", for Android writes its "MFB$" as a word. */
const MAGIC = 0x4d464224;
/** Byte offsets in an entry's file and in the status; the checksum is of all that follows it. */
const CHECKSUM = 4, CHECKED = 8, KEY_SIZE = 8, VALUE_SIZE = 16;
/** Bytes before an entry's key. */
export const ENTRY_HEADER = 24;
const STATUS_SIZE = 104, VERSION = 8, BUILD = 12, BUILD_SIZE = 92;

/** The name of the file that says what build of the system the entries are of. */
export const STATUS_NAME = "cache.status";

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
