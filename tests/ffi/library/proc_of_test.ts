import { assertEquals, assertThrows } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { readCString } from "../../../ffi/cstring.ts";
import { createLookup } from "../../../ffi/functions/lookup.ts";
import { procOf, withCString } from "../../../ffi/library/library.ts";

Deno.test("procOf() gives what a function answers to a name", () => {
  const lookup = createLookup([["vkQueueSubmit", 0xffff_ffff_ffff_fff0n]]);
  try {
    const names = ["vkQueueSubmit", "vkQueueSubmit2", ""];
    assertEquals(names.map((name) => procOf(lookup.address, 5n, name)), [0xffff_ffff_ffff_fff0n, 0n, 0n]);
  } finally {
    lookup.free();
  }
});

Deno.test("withCString() has the text in memory while its function runs, and frees it whatever that throws", () => {
  const before = arena().mark();
  assertEquals(withCString("größer", (text) => readCString(text)), "größer");
  assertThrows(
    () =>
      withCString("a", () => {
        throw new Error("no");
      }),
    Error,
    "no",
  );
  const after = arena().mark();
  assertEquals(after, before);
  arena().release(before);
});
