import { newFile } from "../../../loader/layers/shipped/native/file.ts";

/**
 * Packed files are gzip files of many members, as `bgzip` writes them: each says how long it is, so that a part of the
 * file at a time is in memory. `gunzip` and `zcat` read them, too.
 */
const MAGIC = [0x1f, 0x8b, 8];
/** The flag of a header with an extra field; the field: XLEN, 'B', 'C', two bytes, and the size of the member less 1. */
const HAS_EXTRA = 4, EXTRA = [6, 0, 0x42, 0x43, 2, 0], SIZE_AT = 16;
/** Bytes of a header with the field, and of one without. */
const HEADER = 18, PLAIN_HEADER = 10;
/** The most bytes of a member, packed and not: its size is in 16 bits. */
const MEMBER = 0xff00;
/** Bytes that are read at a time of a file that is not packed. */
const PART = 1 << 18;

/** Whether a file of this name is to be packed. */
export function isPackedName(path: string): boolean {
  return path.endsWith(".gz");
}

/**
 * Packs a file of text in its place: the packed one takes the place of the other when it is whole.
 *
 * @throws {Error} if the system refuses; the file is as it was then.
 */
export function packFile(path: string): void {
  const part = `${path}.part`;
  try {
    {
      using from = Deno.openSync(path), to = newFile(part, `a packed "${path}"`);
      for (let bytes = read(from, MEMBER); bytes.length > 0; bytes = read(from, MEMBER)) to.write(member(bytes));
    }
    Deno.renameSync(part, path);
  } catch (error) {
    try {
      Deno.removeSync(part);
    } catch {
      // nothing was begun
    }
    throw error;
  }
}

/** Takes 20 ms to load, which few recordings need. */
function zlib(): typeof import("node:zlib") {
  return globalThis.process.getBuiltinModule("node:zlib");
}

function member(bytes: Uint8Array): Uint8Array {
  const packed = zlib().gzipSync(bytes), size = packed.length + HEADER - PLAIN_HEADER - 1;
  const header = Uint8Array.of(...packed.subarray(0, PLAIN_HEADER), ...EXTRA, size & 0xff, size >> 8);
  header[3] |= HAS_EXTRA;
  const whole = new Uint8Array(size + 1);
  whole.set(header);
  whole.set(packed.subarray(PLAIN_HEADER), HEADER);
  return whole;
}

/**
 * Reads a file part by part, unpacked if it is packed. A packed file that was cut ends before the cut.
 *
 * @throws {Error} if packed bytes were changed.
 */
export function* unpackedParts(file: Deno.FsFile): Generator<Uint8Array> {
  const head = read(file, HEADER), isPacked = MAGIC.every((byte, at) => head[at] === byte);
  if (!isPacked) {
    yield head;
    for (let part = read(file, PART); part.length > 0; part = read(file, PART)) yield part;
  } else if (EXTRA.every((byte, at) => head[PLAIN_HEADER + at] === byte)) yield* members(file, head);
  else yield zlib().gunzipSync(Uint8Array.of(...head, ...read(file, file.statSync().size)));
}

function* members(file: Deno.FsFile, first: Uint8Array): Generator<Uint8Array> {
  for (let head = first; head.length === HEADER; head = read(file, HEADER)) {
    const size = head[SIZE_AT] + (head[SIZE_AT + 1] << 8) + 1, rest = read(file, size - HEADER);
    if (rest.length < size - HEADER) return;
    const whole = new Uint8Array(size);
    whole.set(head);
    whole.set(rest, HEADER);
    yield zlib().gunzipSync(whole);
  }
}

/** Reads so many bytes; fewer at the end. */
function read(file: Deno.FsFile, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let done = 0;
  for (let count = 0; done < size && (count = file.readSync(bytes.subarray(done)) ?? 0) > 0;) done += count;
  return bytes.subarray(0, done);
}
