import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { decodeEntry, encodeEntry, encodeStatus, isStatus } from "../../../egl/cache/multifile_folder.ts";
import { entry, hex, toHex } from "./bytes.ts";

/** An entry and a status of build "AB1", written by hand. */
const ENTRY = "2442464d 6d6896f1 0500000000000000 0300000000000000 6162636465 010203";
const STATUS = `2442464d 04d7a182 01000000 414231 ${"00".repeat(89)}`;
const ABCDE = entry([97, 98, 99, 100, 101], [1, 2, 3]);

Deno.test("encodeEntry() writes Android's file byte for byte, and decodeEntry() reads it", () => {
  assertEquals(toHex(encodeEntry(ABCDE)), toHex(hex(ENTRY)));
  assertEquals(decodeEntry(hex(ENTRY)), ABCDE);
  assertEquals(decodeEntry(encodeEntry(entry([], []))), entry([], []));
});

Deno.test("encodeStatus() writes Android's status byte for byte, and isStatus() knows it", () => {
  assertEquals(toHex(encodeStatus(1, "AB1")), toHex(hex(STATUS)));
  assertEquals(isStatus(hex(STATUS), 1, "AB1"), true);
  assertEquals([isStatus(hex(STATUS), 2, "AB1"), isStatus(hex(STATUS), 1, "AB"), isStatus(hex(STATUS), 1, "AB12")], [
    false,
    false,
    false,
  ]);
});

Deno.test("a build's name that is too long is cut, and is still the same", () => {
  const long = "x".repeat(200);
  assertEquals(encodeStatus(1, long).length, 104);
  assertEquals([isStatus(encodeStatus(1, long), 1, long), isStatus(encodeStatus(1, long), 1, "x")], [true, false]);
});

Deno.test("decodeEntry() and isStatus() trust no file that was changed, and never throw", () => {
  const change = fc.record({ at: fc.nat(31), by: fc.integer({ min: 1, max: 255 }), end: fc.nat(31) });
  fc.assert(fc.property(change, ({ at, by, end }) => {
    const file = hex(ENTRY);
    file[at] ^= by;
    assertEquals(decodeEntry(file), undefined);
    assertEquals(decodeEntry(hex(ENTRY).subarray(0, end)), undefined);
  }));
  fc.assert(fc.property(fc.nat(103), fc.integer({ min: 1, max: 255 }), (at, by) => {
    const file = hex(STATUS);
    file[at] ^= by;
    assertEquals(isStatus(file, 1, "AB1"), false);
    assertEquals(isStatus(hex(STATUS).subarray(0, at), 1, "AB1"), false);
  }));
});

Deno.test("decodeEntry() survives any sizes", () => {
  fc.assert(
    fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (key, value) => {
      const file = hex(ENTRY), view = new DataView(file.buffer);
      view.setBigInt64(8, key, true);
      view.setBigInt64(16, value, true);
      const found = decodeEntry(file);
      assertEquals(found === undefined, key < 0n || value < 0n || key + value !== 8n);
    }),
  );
});
