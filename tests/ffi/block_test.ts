import { assertEquals, assertThrows } from "@std/assert";
import { NativeBlock, openBlocks } from "../../ffi/block.ts";
import { NativeError } from "../../ffi/error.ts";
import { peek8 } from "../../ffi/machine.ts";

Deno.test("NativeBlock is zeroed, page-aligned and seen by native code", () => {
  using block = new NativeBlock(10000);
  assertEquals([block.size, block.bytes.length, block.address % 4096n], [10000, 10000, 0n]);
  assertEquals(block.bytes.every((byte) => byte === 0), true);
  block.view.setUint8(9999, 5);
  assertEquals(peek8(block.address + 9999n), 5);
});

Deno.test("NativeBlock.close() twice is harmless", () => {
  const block = new NativeBlock(1);
  const before = openBlocks();
  block.close();
  block.close();
  assertEquals(openBlocks(), before - 1);
});

Deno.test("NativeBlock throws when the system has no such memory", () => {
  const error = assertThrows(() => new NativeBlock(2 ** 52), NativeError, "Cannot map 4503599627370496 bytes");
  assertEquals(error.code, "out-of-memory");
});
