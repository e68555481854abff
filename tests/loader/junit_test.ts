import { assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { parse } from "txml";
import { junitXml, xmlText } from "../../loader/junit.ts";
import { anyText } from "../support/any_text.ts";

/** The elements that a parser finds in the first element of a name. */
function elementsOf(xml: string, name: string): { attributes: Record<string, string>; children: unknown[] }[] {
  return parse(xml, { filter: (node) => node.tagName === name }) as never;
}

Deno.test("junitXml() counts cases, failures and what was skipped, for each suite and for all", () => {
  const one = { name: "a", classname: "x" }, failure = { message: "why", text: "more" };
  const xml = junitXml([
    { name: "first", cases: [one, { ...one, failure }, { ...one, skipped: "not here" }] },
    { name: "second", cases: [{ ...one, seconds: 1.5, output: "said" }] },
  ]);
  const [all] = elementsOf(xml, "testsuites"), suites = elementsOf(xml, "testsuite");
  assertEquals(all.attributes, { tests: "4", failures: "1", skipped: "1" });
  assertEquals(suites.map(({ attributes }) => attributes.tests), ["3", "1"]);
  assertEquals(elementsOf(xml, "testcase")[3].attributes, { name: "a", classname: "x", time: "1.500" });
  assertStringIncludes(xml, "<system-out>said</system-out>");
  assertStringIncludes(xml, '<failure message="why">more</failure>');
  assertStringIncludes(xml, '<skipped message="not here"/>');
});

Deno.test("xmlText() leaves nothing that ends an attribute or that XML cannot hold, whatever the text", () => {
  fc.assert(fc.property(anyText(), (text) => {
    const escaped = xmlText(text);
    assertEquals(/[<>"\uffff]|&(?!amp;|lt;|gt;|quot;|#10;)/.test(escaped), false);
    for (const character of escaped) {
      assertEquals(character >= " " || "\t\r".includes(character), true, character.codePointAt(0)!.toString(16));
    }
    assertEquals(escaped.isWellFormed(), true);
  }));
});
