import { assertEquals } from "@std/assert";
import { cacheChecksum, entryHash } from "../../../egl/cache/checksum.ts";

const text = (value: string) => new TextEncoder().encode(value);

Deno.test("cacheChecksum() begins at 0 and does not invert", () => {
  assertEquals(cacheChecksum(text("123456789")), 0x58e3fa20);
  assertEquals(cacheChecksum(new Uint8Array(5)), 0);
});

Deno.test("entryHash() mixes the length, then words, then what is left", () => {
  assertEquals(entryHash(text("")), 0);
  assertEquals(entryHash(new Uint8Array([1])), 1051938);
  assertEquals(entryHash(text("abcd")), 4058431167);
  assertEquals(entryHash(text("abcde")), 3487900190);
  assertEquals(entryHash(new Uint8Array(7).fill(0xff)), 3241554056);
  assertEquals(entryHash(new Uint8Array(18).map((_, index) => 250 + index % 6)), 253262279);
  assertEquals(entryHash(new Uint8Array([9, 1, 9]).subarray(1, 2)), 1051938);
});
