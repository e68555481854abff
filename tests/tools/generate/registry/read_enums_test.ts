import { assertEquals, assertThrows } from "@std/assert";
import { parseNumber } from "../../../../tools/generate/registry/read_enums.ts";

Deno.test("parseNumber() reads every form of number that the registry writes", () => {
  const forms: [string, number | bigint][] = [
    ["42", 42],
    ["-3", -3],
    ["0x00000010", 16],
    ["0x7FFFFFFF", 0x7fffffff], // ends in F, which is no suffix here
    ["0x100000000ULL", 2 ** 32],
    ["1000.0F", 1000],
    ["(~0U)", 0xffffffff],
    ["(~1U)", 0xfffffffe],
    ["(~0ULL)", 0xffff_ffff_ffff_ffffn],
  ];
  assertEquals(forms.map(([text]) => parseNumber(text)), forms.map(([, value]) => value));
});

Deno.test("parseNumber() throws an Error that names the text when it is no number", () => {
  assertThrows(() => parseNumber("sizeof(int)"), Error, 'Cannot read the constant "sizeof(int)"');
});
