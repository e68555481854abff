import type { Picture } from "./pixels/convert.ts";

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const RGBA = 6, UP = 2;
/** The highest zlib level that is still fast; filtered rows gain little from higher levels. */
const LEVEL = 3;

/**
 * zlib, loaded when the first picture is encoded: importing it, or `node:process`, takes 20 ms, longer than all the
 * rest of a program's start, and programs that keep no pictures should not wait for it.
 */
function zlib() {
  return globalThis.process.getBuiltinModule("node:zlib");
}

/**
 * Encodes a picture as a PNG file, RGBA, with 8 or 16 bits a channel according to its data. Each row is stored as the
 * difference from the row above, and compressed by the runtime's native zlib, which takes a tenth of the time of a
 * compressor in JavaScript.
 *
 * @param text Texts by keyword, in Latin-1 without NUL; a keyword has 1 to 79 letters.
 *
 * @example
 * ```ts
 * import { encodePng } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * const png = encodePng({ width: 1, height: 1, data: new Uint8Array([255, 0, 0, 255]) }, { Title: "red" });
 * assertEquals([...png.subarray(1, 4)], [..."PNG"].map((letter) => letter.charCodeAt(0)));
 * ```
 */
export function encodePng(
  { width, height, data }: Picture<Uint8Array | Uint16Array>,
  text: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const isDeep = data instanceof Uint16Array, bytes = isDeep ? bigEndian(data) : data;
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  header.setUint8(8, isDeep ? 16 : 8);
  header.setUint8(9, RGBA);
  const rows = filtered(bytes, width * (isDeep ? 8 : 4), height);
  const compressed = new Uint8Array(zlib().deflateSync(rows, { level: LEVEL }));
  return joined([
    new Uint8Array(SIGNATURE),
    chunk("IHDR", new Uint8Array(header.buffer)),
    ...Object.entries(text).map(([keyword, value]) => chunk("tEXt", latin1(`${keyword}\0${value}`))),
    chunk("IDAT", compressed),
    chunk("IEND", new Uint8Array()),
  ]);
}

function latin1(text: string): Uint8Array {
  const codes = [...text].map((letter) => letter.codePointAt(0)!), wrong = codes.findIndex((code) => code > 0xff);
  if (wrong < 0) return Uint8Array.from(codes);
  throw new TypeError(`A text of a PNG file has "${[...text][wrong]}", which Latin-1 lacks; encode the text before`);
}

/** Each row behind the number of its filter. */
function filtered(bytes: Uint8Array, pitch: number, height: number): Uint8Array {
  const rows = new Uint8Array((pitch + 1) * height);
  for (let y = 0, at = 0, from = 0; y < height; y++) {
    rows[at++] = UP;
    if (y === 0) rows.set(bytes.subarray(0, pitch), at);
    else for (let x = 0; x < pitch; x++) rows[at + x] = bytes[from + x] - bytes[from + x - pitch];
    at += pitch;
    from += pitch;
  }
  return rows;
}

function bigEndian(data: Uint16Array): Uint8Array {
  const bytes = new Uint8Array(2 * data.length);
  for (let index = 0; index < data.length; index++) {
    bytes[2 * index] = data[index] >> 8;
    bytes[2 * index + 1] = data[index];
  }
  return bytes;
}

/** Length, type, contents, and the checksum of the latter two. */
function chunk(type: string, contents: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + contents.length), view = new DataView(bytes.buffer);
  view.setUint32(0, contents.length);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(contents, 8);
  view.setUint32(8 + contents.length, zlib().crc32(bytes.subarray(4, 8 + contents.length)));
  return bytes;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
