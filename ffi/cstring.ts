import { LASTING, type MemoryReserve, NativeBlock } from "./block.ts";
import { SCRATCH_SIZE } from "./emit/layout.ts";
import { otherMemory } from "./arena_memory.ts";
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
  const { length } = text, bytes = new Uint8Array(length + 1);
  if (length > SHORT) return new TextEncoder().encode(text + "\0");
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return new TextEncoder().encode(text + "\0");
    bytes[index] = code;
  }
  return bytes;
}

/** The most characters of names, which are nearly always ASCII and encoded faster without the encoder. */
const SHORT = 64;

let readString: NativeFunction | undefined;

/**
 * Reads a NUL-terminated UTF-8 string at an address, at most `max` bytes, and
 * nothing behind the NUL. NULL reads as `""`. Safe inside callbacks.
 *
 * @example
 * ```ts
 * import { arena, cstring, readCString } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const memory = arena(), mark = memory.mark();
 * assertEquals(readCString(memory.place(cstring("vulkan"))), "vulkan");
 * memory.release(mark);
 * ```
 */
export function readCString(address: bigint, max = 65536): string {
  if (address === 0n) return "";
  const other = otherMemory();
  if (other) return other.text(address, max);
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

/** Copies texts to native memory that is never freed, and returns their addresses. */
export function textAddresses(texts: readonly string[]): bigint[] {
  const bytes = cstring(texts.join("\0")), block = new NativeBlock(bytes.length, LASTING);
  block.bytes.set(bytes);
  let at = 0;
  return texts.map(() => {
    const address = block.address + BigInt(at);
    at = bytes.indexOf(0, at) + 1;
    return address;
  });
}

/** Names in native memory, one after the other, as {@linkcode fillTable} reads them. */
export class NameBlob {
  /** Address of the first name. */
  readonly address: bigint;
  /** Address of the sizes: for each name its bytes with the NUL, as 32 bits, and a 0 at the end. */
  readonly sizes: bigint;
  /** The number of names. */
  readonly count: number;
  #block: NativeBlock;

  /**
   * Copies names to native memory. Give a list, or one string with a space
   * between names. The names must be ASCII, as C names are. `reserve` is for
   * names that are never closed.
   */
  constructor(names: string | readonly string[], reserve?: MemoryReserve) {
    const list = typeof names === "string" ? names.split(/\s+/).filter((name) => name !== "") : names;
    const text = list.join("\0");
    const sizes = 4 * (list.length + 1);
    this.count = list.length;
    // the block is zeroed: a size of 0 ends the list, after an empty name
    this.#block = new NativeBlock(sizes + text.length + 2, reserve);
    this.sizes = this.#block.address;
    this.address = this.sizes + BigInt(sizes);
    list.forEach((name, index) => this.#block.view.setUint32(4 * index, name.length + 1, true));
    const { read, written } = new TextEncoder().encodeInto(text, this.#block.bytes.subarray(sizes));
    if (read !== text.length || written !== read) throw new TypeError("Cannot place names: one is not ASCII");
  }

  /** Frees the memory. A second call does nothing. */
  close(): void {
    this.#block.close();
  }

  /** Frees the memory at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}
