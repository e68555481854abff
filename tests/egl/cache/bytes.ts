/**
 * Bytes for the tests of the cache.
 *
 * @module
 */
import { noCounts } from "../../../egl/cache/blob_cache.ts";
import type { Entry } from "../../../egl/cache/lru.ts";
import type { BlobCache, BlobCacheCounts } from "../../../egl/mod.ts";

/** Bytes written as hexadecimal digits; white space counts for nothing. */
export function hex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.replace(/\s/g, "").match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Bytes as hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** An entry of numbers. */
export function entry(key: number[], value: number[]): Entry {
  return { key: new Uint8Array(key), value: new Uint8Array(value) };
}

/** A key of its own for each number. */
export function keyOf(number: number): Uint8Array {
  return new Uint8Array([1, number >> 8, number & 0xff]);
}

/** So many equal bytes. */
export function filled(size: number, byte = 7): Uint8Array {
  return new Uint8Array(size).fill(byte);
}

/** The numbers of a cache's keys, of so many tried. */
export function held(cache: BlobCache, count: number): number[] {
  return Array.from({ length: count }, (_, number) => number).filter((number) => cache.get(keyOf(number)));
}

/** Counts that are 0 where nothing else is said. */
export function counts(some: Partial<BlobCacheCounts>): BlobCacheCounts {
  return { ...noCounts(), ...some };
}

/** The type and permissions of a file, as `ls` counts them. */
export function modeOf(path: string): number {
  return Deno.lstatSync(path).mode! & 0o777;
}

/** The names in a folder, sorted. */
export function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}
