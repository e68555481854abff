import { assertEquals } from "@std/assert";
import { diagnosticsOf, isForeign } from "../../tools/doc_lint.ts";

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

Deno.test("isForeign() lets types of other packages pass, and none of ours", () => {
  const about = (line: string) =>
    `error[private-type-ref]: public type 'a' references private type 'B'
  --> /p/loader/a.ts:1:1
   |
 1 | export function a(
   = hint: make the referenced type public or remove the reference
   |
${line}
   | - this is the referenced type
`;
  assertEquals(isForeign(about("82 | export declare abstract class B<T> {")), true);
  assertEquals(isForeign(about("82 | export interface B {")), false);
  assertEquals(isForeign(about("82 | interface B {")), false);
  assertEquals(isForeign("error[missing-jsdoc]: exported symbol\n82 | export declare class B {"), false);
});
