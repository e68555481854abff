import { assertEquals } from "@std/assert";
import { hexOf } from "../../ffi/bytes.ts";

Deno.test("hexOf() gives two digits a byte", () => {
  assertEquals(hexOf(new Uint8Array([0, 15, 255])), "000fff");
});
