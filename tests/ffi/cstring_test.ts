import { assertEquals } from "@std/assert";
import { NativeBlock } from "../../ffi/block.ts";
import { cstring, readCString } from "../../ffi/cstring.ts";

Deno.test("readCString() reads what cstring() made", () => {
  using block = new NativeBlock(65536);
  const long = "x".repeat(4095) + "ü" + "y".repeat(9000); // a letter across the border of two chunks
  for (const text of ["", "vkCreateDevice", "grüße, 世界 🌋", "a".repeat(4096), "b".repeat(4097), long]) {
    block.bytes.fill(0xff).set(cstring(text));
    assertEquals(readCString(block.address), text);
  }
});

Deno.test("readCString() stops at max and at the NUL, to the byte", () => {
  using block = new NativeBlock(8192);
  block.bytes.fill(0x61);
  assertEquals(readCString(block.address, 10), "a".repeat(10));
  assertEquals(readCString(block.address, 5000), "a".repeat(5000));
  block.bytes[8191] = 0;
  assertEquals(readCString(block.address + 8189n), "aa"); // the next page is not mapped for us
  assertEquals(readCString(0n), "");
});
