import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { arena } from "../../../../ffi/arena.ts";
import { foreignText, readText, writeChars, writeText } from "../../../../loader/codec/values/memory.ts";
import { anyText } from "../../../support/any_text.ts";
import { moveOut, withArena } from "../memory_support.ts";

const withoutNul = anyText().map((text) => text.replaceAll("\0", ""));

Deno.test("writeText() writes what TextEncoder does, and a NUL", () => {
  fc.assert(fc.property(fc.oneof(withoutNul, fc.constant("a\ud800b")), (text) =>
    withArena(() => {
      const place = writeText(arena(), text), expected = new TextEncoder().encode(text);
      assertEquals(arena().bytes.slice(place, place + expected.length + 1), Uint8Array.of(...expected, 0));
      assertEquals(readText(arena().bytes, place, 1 << 20), text.toWellFormed());
    })));
});

Deno.test("readText() never throws and agrees with TextDecoder on valid text", () => {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  fc.assert(
    fc.property(fc.uint8Array({ min: 1, maxLength: 12 }), (bytes) => {
      const found = readText(bytes, 0, bytes.length);
      try {
        assertEquals(found, strict.decode(bytes));
      } catch (error) {
        if (error instanceof TypeError) assertEquals(found.includes("\ufffd"), true);
        else throw error;
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("writeChars() cuts whole characters and ends with NUL", () => {
  const bytes = new Uint8Array(8).fill(0xff);
  writeChars(bytes, 0, 8, "abcdefghij");
  assertEquals(readText(bytes, 0, 8), "abcdefg");
  writeChars(bytes, 0, 8, "abcdefé");
  assertEquals([readText(bytes, 0, 8), bytes[7]], ["abcdef", 0]);
});

Deno.test("foreignText() reads text outside the arena and keeps the arena's top", () => {
  const start = arena().mark();
  writeText(arena(), "größer");
  using block = moveOut(start);
  arena().release(start);
  assertEquals(foreignText(block.address), "größer");
  assertEquals(arena().mark(), start);
});
