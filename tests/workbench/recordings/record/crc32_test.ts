import { assertEquals } from "@std/assert";
import { crc32 as crc32OfBytes } from "node:zlib";
import { crc32 } from "../../../../workbench/recordings/record/crc32.ts";

/** The bytes of text in UTF-16, low byte first. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from([...Array(text.length).keys()].flatMap((at) => {
    const unit = text.charCodeAt(at);
    return [unit & 0xff, unit >>> 8];
  }));
}

const TEXTS = ["", "a", "ab", "abc", "é", "\u{10ffff}", "a\ud800", "Gerät 測\n", "\0\0\0", "x".repeat(1001)];

Deno.test("crc32() of text is that of its bytes in UTF-16, for even and odd lengths", () => {
  for (const text of TEXTS) assertEquals(crc32(text), crc32OfBytes(bytesOf(text)), JSON.stringify(text));
});

Deno.test("crc32() goes on behind any text as if the two were one", () => {
  for (const first of TEXTS) {
    for (const second of TEXTS) assertEquals(crc32(second, crc32(first)), crc32(first + second));
  }
});
