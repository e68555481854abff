import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { anyText } from "./any_text.ts";

Deno.test("anyText() has characters of every plane, names that are dangerous, and no half of a pair", () => {
  const texts = fc.sample(anyText(), { numRuns: 20_000, seed: 1 });
  assert(texts.every((text) => text.isWellFormed()));
  const planes = new Set(texts.flatMap((text) => [...text].map((each) => each.codePointAt(0)! >> 16)));
  assertEquals([...planes].sort((one, other) => one - other), [...Array(17).keys()]);
  assert(texts.some((text) => text.includes("__proto__")));
});
