import { type Arena, inFrame } from "../../../ffi/arena.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { invokeAddress } from "../../../ffi/machine.ts";

const REPLACEMENT = 0xfffd;

/**
 * Copies text into the arena as UTF-8 with a NUL at the end and returns its
 * offset. Does not use Deno's encoder, so that callbacks may use this function.
 */
export function writeText(arena: Arena, text: string): number {
  const offset = arena.alloc(text.length * 3 + 1);
  arena.bytes[encodeInto(arena.bytes, offset, offset + text.length * 3, text)] = 0;
  return offset;
}

/**
 * Fills `size` bytes with text as UTF-8, followed by zeros. The text is cut
 * before the first character that would leave no room for the final NUL.
 */
export function writeChars(bytes: Uint8Array, at: number, size: number, text: string): void {
  bytes.fill(0, encodeInto(bytes, at, at + size - 1, text), at + size);
}

/** Reads the UTF-8 text at an offset, up to the first NUL or `size` bytes. */
export function readText(bytes: Uint8Array, at: number, size: number): string {
  const end = Math.min(at + size, bytes.length);
  let text = "";
  for (let next = at; next < end && bytes[next] !== 0;) {
    if (bytes[next] < 0x80) {
      text += String.fromCharCode(bytes[next++]);
      continue;
    }
    const length = sequenceLength(bytes[next]);
    const code = length === 0 ? -1 : decodeSequence(bytes, next, length, end);
    text += String.fromCodePoint(code < 0 ? REPLACEMENT : code);
    next += code < 0 ? 1 : length;
  }
  return text;
}

/** Reads the UTF-8 text at a foreign address. The caller must know that the address is valid. */
export function foreignText(address: bigint): string {
  const size = Number(invokeAddress(libcAddress("strlen"), "q:q", [address])); // size_t strlen(const char *)
  return inFrame((memory) => readText(memory.bytes, memory.copyIn(address, size + 1), size));
}

/** Writes whole characters from `at` on as long as they end by `end`. Returns the place after the last one. */
function encodeInto(bytes: Uint8Array, at: number, end: number, text: string): number {
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (code < 0x80) {
      if (at >= end) return at;
      bytes[at++] = code;
      continue;
    }
    code = text.codePointAt(i)!;
    if (code > 0xffff) i++;
    else if (code >= 0xd800 && code <= 0xdfff) code = REPLACEMENT;
    const length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (at + length > end) return at;
    at = encodeSequence(bytes, at, length, code);
  }
  return at;
}

function encodeSequence(bytes: Uint8Array, at: number, length: number, code: number): number {
  for (let i = length - 1; i > 0; i--) {
    bytes[at + i] = 0x80 | code & 0x3f;
    code >>= 6;
  }
  bytes[at] = 0xf00 >> length & 0xff | code;
  return at + length;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

/** Returns the code point of a sequence of `length` bytes; -1 if it is malformed. */
function decodeSequence(bytes: Uint8Array, at: number, length: number, end: number): number {
  if (at + length > end) return -1;
  let code = bytes[at] & 0x7f >> length;
  for (let i = 1; i < length; i++) {
    if ((bytes[at + i] & 0xc0) !== 0x80) return -1;
    code = code << 6 | bytes[at + i] & 0x3f;
  }
  const smallest = length === 2 ? 0x80 : length === 3 ? 0x800 : 0x10000;
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < smallest || code > 0x10ffff || surrogate ? -1 : code;
}
