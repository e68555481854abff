import { assertEquals } from "@std/assert";
import { indented } from "../../../../../workbench/recordings/compare/report/action_parts.ts";

Deno.test("indented() breaks what does not fit into a line, member by member", () => {
  const long = "x".repeat(60), text = `f(a=1, b={c=${long}, d=[1, 2], e={}}, g="(,${long}")`;
  assertEquals(indented(text).split("\n"), [
    "f(",
    "  a=1,",
    `  b={c=${long}, d=[1, 2], e={}},`,
    `  g="(,${long}"`,
    ")",
  ]);
  assertEquals(indented(`f(b={c=${long}, d=${long}})`).split("\n"), [
    "f(",
    "  b={",
    `    c=${long},`,
    `    d=${long}`,
    "  }",
    ")",
  ]);
});

Deno.test("indented() leaves short texts and unclosed brackets alone", () => {
  const open = `f(${"x".repeat(200)}`;
  for (const text of ["", "f()", "f(a={b=1})", open, `${"x".repeat(200)}`, `"${open}`]) {
    assertEquals(indented(text), text);
  }
});
