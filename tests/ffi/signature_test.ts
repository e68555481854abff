import { assertEquals, assertThrows } from "@std/assert";
import { foreignParameters, foreignResult, parseSignature } from "../../ffi/signature.ts";

Deno.test("parseSignature() takes a signature apart", () => {
  const signature = parseSignature("s:qwofqd");
  assertEquals([signature.result, signature.parameters, signature.shape], ["s", "qwofqd", "iioi"]);
  assertEquals(foreignParameters(signature), ["u64", "u32", "u32", "f32", "u64", "f64"]);
  assertEquals(foreignResult(signature), "i32");
  assertEquals(foreignResult(parseSignature("v:")), "void");
});

Deno.test("parseSignature() throws when it is none, and says what one is", () => {
  for (const wrong of ["", "s", "s:Q", "o:q", "q:v", "sq", " s:q", "s:q "]) {
    assertThrows(() => parseSignature(wrong), TypeError, "write a result letter");
  }
});
