import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { cacheChecksum } from "../../../egl/cache/checksum.ts";
import { decodeCacheFile, encodeCacheFile } from "../../../egl/cache/monolithic.ts";
import { entry, hex, toHex } from "./bytes.ts";

/** Two entries of a build "AB1", written by hand. */
const FILE = `
  45474c24 4f49e82b
  2462425f 03000000 01000000 00000000 0200000000000000 03000000 414231 00 00000000
  0100000000000000 0200000000000000 09 0405 00
  0300000000000000 0500000000000000 010203 0405060708`;
const ENTRIES = [entry([1, 2, 3], [4, 5, 6, 7, 8]), entry([9], [4, 5])];

Deno.test("encodeCacheFile() writes Android's file byte for byte, sorted by size and bytes", () => {
  assertEquals(toHex(encodeCacheFile(ENTRIES, "AB1")), toHex(hex(FILE)));
  const sorted = [entry([1], [0]), entry([2], [0]), entry([0, 0], [0])];
  assertEquals(decodeCacheFile(encodeCacheFile([sorted[2], sorted[1], sorted[0]], ""), ""), sorted);
});

Deno.test("decodeCacheFile() reads Android's file, whatever fills its gaps", () => {
  assertEquals(decodeCacheFile(hex(FILE), "AB1"), [ENTRIES[1], ENTRIES[0]]);
  const slack = hex(FILE);
  slack.fill(0xee, 8 + 31, 8 + 36);
  assertEquals(decodeCacheFile(resealed(slack), "AB1"), [ENTRIES[1], ENTRIES[0]]);
});

/** With a checksum that fits what a test changed. */
function resealed(file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  new DataView(file.buffer).setUint32(4, cacheChecksum(file.subarray(8)), true);
  return file;
}

/** The reason why a file is refused that has other bytes at some place, and the checksum they need. */
function refusal(at: number, ...bytes: number[]): unknown {
  const file = hex(FILE);
  file.set(bytes, at);
  return decodeCacheFile(resealed(file), "AB1");
}

Deno.test("decodeCacheFile() says why a file is not trusted", () => {
  assertEquals(decodeCacheFile(hex(FILE), "AB2"), "it is of another build of the system");
  assertEquals(decodeCacheFile(hex(FILE).subarray(0, 7), "AB1"), "it is no EGL cache");
  assertEquals(decodeCacheFile(hex(FILE).subarray(0, 87), "AB1"), "its checksum is wrong");
  assertEquals(refusal(0, 0x46), "it is no EGL cache");
  assertEquals(refusal(8, 1), "it holds no cache");
  assertEquals(refusal(12, 4), "it has version 4, not 3");
  assertEquals(refusal(16, 2), "it is of another device version");
  assertEquals(refusal(32, 0xff, 0xff, 0xff, 0xff), "it ends inside its build's name");
  assertEquals(refusal(32, 200), "it ends inside its build's name");
  assertEquals(refusal(24, 3), "it ends before its last entry");
  assertEquals(refusal(24, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), "it ends before its last entry");
  assertEquals(refusal(44, 0xff), "an entry is larger than it");
  assertEquals(refusal(52, 1, 0, 0, 0, 0, 0, 0, 0x80), "an entry is larger than it");
  assertEquals(decodeCacheFile(resealed(hex(FILE).slice(0, 20)), "AB1"), "it ends inside its header");
});

const bytes = fc.uint8Array({ minLength: 1, maxLength: 9 });

Deno.test("decodeCacheFile() gives back what encodeCacheFile() was given", () => {
  const unique = fc.uniqueArray(fc.record({ key: bytes, value: bytes }), { selector: ({ key }) => toHex(key) });
  fc.assert(fc.property(unique, fc.string({ maxLength: 12, unit: "grapheme" }), (entries, build) => {
    const found = decodeCacheFile(encodeCacheFile(entries, build), build);
    const plain = (each: typeof entries) => each.map(({ key, value }) => `${toHex(key)}=${toHex(value)}`).sort();
    assertEquals(plain(found as typeof entries), plain(entries));
  }));
});

Deno.test("decodeCacheFile() trusts no file that was changed, and never throws", () => {
  const change = fc.record({ at: fc.nat(87), by: fc.integer({ min: 1, max: 255 }), end: fc.nat(88) });
  fc.assert(fc.property(change, ({ at, by, end }) => {
    const file = hex(FILE);
    file[at] ^= by;
    assertEquals(typeof decodeCacheFile(file, "AB1"), "string");
    if (end < 88) assertEquals(typeof decodeCacheFile(hex(FILE).subarray(0, end), "AB1"), "string");
  }));
});

Deno.test("decodeCacheFile() survives any file whose checksum fits", () => {
  const changes = fc.array(fc.record({ at: fc.integer({ min: 8, max: 87 }), byte: fc.nat(255) }), { maxLength: 8 });
  fc.assert(
    fc.property(changes, fc.integer({ min: 8, max: 88 }), (list, end) => {
      const file = hex(FILE).slice(0, end);
      for (const { at, byte } of list) if (at < end) file[at] = byte;
      const found = decodeCacheFile(resealed(file), "AB1");
      const total = typeof found === "string"
        ? 0
        : found.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
      assertEquals(total <= end, true);
    }),
    { numRuns: 2000 },
  );
});
