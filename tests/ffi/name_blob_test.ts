import { assertEquals, assertThrows } from "@std/assert";
import { NameBlob, readCString } from "../../ffi/cstring.ts";

Deno.test("NameBlob places names one after the other with an empty one at the end", () => {
  for (const names of ["one three  four ", ["one", "three", "four"]]) {
    using blob = new NameBlob(names);
    assertEquals(blob.count, 3);
    assertEquals([0n, 4n, 10n, 15n].map((at) => readCString(blob.address + at)), ["one", "three", "four", ""]);
  }
});

Deno.test("NameBlob throws when a name is not ASCII", () => {
  assertThrows(() => new NameBlob("grüße"), TypeError, "not ASCII");
});
