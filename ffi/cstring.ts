import { SCRATCH_SIZE } from "./emit/layout.ts";
import { coreImage } from "./image/core.ts";
import type { NativeFunction } from "./image/image.ts";

/**
 * Encodes a string for C: UTF-8 with a NUL at the end.
 *
 * @example
 * ```ts
 * import { cstring } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(cstring("vk"), new Uint8Array([0x76, 0x6b, 0]));
 * ```
 */
export function cstring(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text + "\0");
}

let readString: NativeFunction | undefined;

/**
 * Reads a NUL-terminated UTF-8 string at an address, at most `max` bytes, and
 * nothing behind the NUL. NULL reads as `""`. Safe inside callbacks.
 */
export function readCString(address: bigint, max = 65536): string {
  if (address === 0n) return "";
  const core = coreImage();
  if (!core) return readPortably(address, max);
  readString ??= core.image.bind("readString", "w:qw");
  const size = readString(address, Math.min(max, SCRATCH_SIZE));
  if (size === SCRATCH_SIZE && max > size) return readLong(address, max, core.scratch);
  return decode(core.scratch, size);
}

/**
 * Decodes the first `size` bytes as UTF-8. The text is nearly always ASCII,
 * which is decoded faster without the decoder.
 */
export function decode(bytes: Uint8Array<ArrayBuffer>, size: number): string {
  let text = "";
  for (let index = 0; index < size; index++) {
    if (bytes[index] > 0x7f) return new TextDecoder().decode(bytes.subarray(0, size));
    text += String.fromCharCode(bytes[index]);
  }
  return text;
}

function readLong(address: bigint, max: number, scratch: Uint8Array<ArrayBuffer>): string {
  const decoder = new TextDecoder();
  let text = "";
  for (let at = 0; at < max;) {
    const size = readString!(address + BigInt(at), Math.min(max - at, SCRATCH_SIZE));
    text += decoder.decode(scratch.subarray(0, size), { stream: true });
    if (size < SCRATCH_SIZE) break;
    at += size;
  }
  return text + decoder.decode();
}

function readPortably(address: bigint, max: number): string {
  const view = new Deno.UnsafePointerView(Deno.UnsafePointer.create(address)!);
  const bytes: number[] = [];
  for (let at = 0; at < max; at++) {
    const byte = view.getUint8(at);
    if (byte === 0) break;
    bytes.push(byte);
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
