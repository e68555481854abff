import { assertEquals } from "@std/assert";
import { diagnosticsOf } from "../../tools/doc_lint.ts";

const OUTPUT = `error[missing-jsdoc]: exported symbol is missing JSDoc documentation
 --> /p/loader/gen/types_gen.ts:3:1
  |
error[missing-return-type]: exported function is missing an explicit return type annotation
 --> /p/ffi/arena.ts:9:1

error: Found 2 documentation lint errors.
`;

Deno.test("diagnosticsOf() splits the output and drops the closing count", () => {
  assertEquals(diagnosticsOf(OUTPUT).length, 2);
  assertEquals(diagnosticsOf(""), []);
});
