import { assertEquals } from "@std/assert";
import { joinBytes } from "../../ffi/arena.ts";
import { hexOf } from "../../ffi/bytes.ts";

Deno.test("hexOf() gives two digits a byte", () => {
  assertEquals(hexOf(new Uint8Array([0, 15, 255])), "000fff");
});

Deno.test("joinBytes() keeps the order, and takes empty parts and none", () => {
  assertEquals(joinBytes([new Uint8Array([1, 2]), new Uint8Array(), new Uint8Array([3])]), new Uint8Array([1, 2, 3]));
  assertEquals(joinBytes([]), new Uint8Array());
});
