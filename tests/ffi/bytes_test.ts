import { assertEquals, assertThrows } from "@std/assert";
import { fromBase64, hexOf } from "../../ffi/bytes.ts";
import { NativeError } from "../../ffi/error.ts";

Deno.test("fromBase64() says on a Deno that is too old which one to take", () => {
  assertEquals([...fromBase64("AQID")], [1, 2, 3]);
  const { fromBase64: own } = Uint8Array;
  try {
    Reflect.deleteProperty(Uint8Array, "fromBase64");
    const { code } = assertThrows(() => fromBase64("AQID"), NativeError, "needs Deno 2.5 or newer; run");
    assertEquals(code, "unsupported");
  } finally {
    Uint8Array.fromBase64 = own;
  }
});

Deno.test("hexOf() gives two digits a byte", () => {
  assertEquals(hexOf(new Uint8Array([0, 15, 255])), "000fff");
});
