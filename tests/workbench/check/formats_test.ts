import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parse } from "txml";
import { checkJunit } from "../../../workbench/check/output/junit.ts";
import { checkMarkdown } from "../../../workbench/check/output/markdown.ts";
import { checkReport, resultText } from "../../../workbench/check/report.ts";
import { COLORED, type ColorVariables, styleOf } from "../../../workbench/process/terminal.ts";
import { checkText } from "../../../workbench/check/output/text.ts";
import { wrap } from "../../../workbench/check/output/text.ts";
import { SAMPLE, verdict } from "./sample.ts";

/** Removes what sets text off. */
function plain(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/\x1b\[\d+m/g, "");
}

Deno.test("checkText() has what failed behind everything else, in full, and the counts last", () => {
  const text = checkText(SAMPLE), lines = text.split("\n");
  const order = ["Vulkan  libvulkan_x.so", "  passed  VK2   Rule of vulkan.b.", "Not run: no composer is named"];
  const rest = ["What fails", "  failed  VK2   Rule of vulkan.a.", "1 passed, 1 failed, 1 to note, 1 not applicable"];
  const places = [...order, ...rest, "Android 14: does not meet what was checked"].map((each) => text.indexOf(each));
  assert(places.every((place) => place >= 0), places.join());
  assertEquals(places, places.toSorted((one, other) => one - other));
  assertEquals(lines.filter((line) => line.startsWith("  failed")).length, 1);
  for (const words of ["found   a | b < c & *d*", "change  change it", "source  CDD 7.1.4.2", "rule    vulkan.a"]) {
    assertStringIncludes(text, words);
  }
  assertStringIncludes(text, "To do: look at it");
  assertStringIncludes(text, "Hardware Composer  not run");
});

Deno.test("checkText() keeps to the width, and is the same text with colours", () => {
  for (const width of [72, 80, 132]) {
    const text = checkText(SAMPLE, { width });
    assert(text.split("\n").every((line) => line.length <= width), text);
    assertEquals(plain(checkText(SAMPLE, { width, style: COLORED })), text);
  }
  assertStringIncludes(checkText(SAMPLE, { style: COLORED }), "\x1b[1m\x1b[31mfailed\x1b[39m\x1b[22m");
});

Deno.test("styleOf() has colours on a terminal, and as NO_COLOR, FORCE_COLOR and TERM say", () => {
  const set = (isTerminal: boolean, variables: ColorVariables) => styleOf(isTerminal, variables) === COLORED;
  assertEquals([set(true, {}), set(false, {})], [true, false]);
  assertEquals([set(true, { NO_COLOR: "1" }), set(true, { NO_COLOR: "" }), set(true, { TERM: "dumb" })], [
    false,
    true,
    false,
  ]);
  assertEquals([set(false, { FORCE_COLOR: "1" }), set(true, { FORCE_COLOR: "0" })], [true, false]);
  assertEquals([set(false, { FORCE_COLOR: "1", NO_COLOR: "1" }), set(false, { FORCE_COLOR: "" })], [true, false]);
});

Deno.test("checkText() of failures alone has what failed and the counts, and no rule that passed", () => {
  const text = checkText(SAMPLE, { failures: true });
  assertEquals(text.includes("Rule of vulkan.b."), false);
  for (const words of ["Rule of vulkan.a.", "found   a | b < c & *d*", "1 passed, 1 failed"]) {
    assertStringIncludes(text, words);
  }
});

Deno.test("wrap() loses no word and breaks where it must", () => {
  const text = "a bb  ccc averyverylongword d";
  assertEquals(wrap(text, 6), ["a bb", "ccc", "averyverylongword", "d"]);
  assertEquals(wrap("", 5), [""]);
});

Deno.test("checkMarkdown() has a table for each part, failures on top, and nothing that breaks it", () => {
  const text = checkMarkdown(SAMPLE), rows = text.split("\n").filter((line) => line.startsWith("| "));
  assertEquals(rows.length, 2 + 4);
  assert(rows.every((row) => row.replaceAll("\\|", "").split("|").length === 9), text);
  assertStringIncludes(rows[2], "| **failed** | VK2 | Rule of vulkan.a. | a \\| b \\< c & \\*d\\* | change it |");
  assertStringIncludes(text, "## Hardware Composer\n\nNot run: no composer is named");
});

Deno.test("checkJunit() is XML with a suite for each part and a case for each rule", () => {
  const xml = checkJunit(SAMPLE);
  const [suites] = parse(xml, { filter: (node) => node.tagName === "testsuites" }) as { attributes: object }[];
  assertEquals(suites.attributes, { tests: "5", failures: "1", skipped: "2" });
  assertStringIncludes(xml, '<failure message="a | b &lt; c &amp; *d*">Rule of vulkan.a.&#10;Found: a | b');
  assertStringIncludes(xml, '<testcase name="composer.run" classname="composer">');
});

Deno.test("checkReport() is good when nothing fails, something was run, and nothing that was named is missing", () => {
  const part = { part: "egl", subject: "", isNamed: false } as const, passed = [verdict("egl.a", "pass")];
  const good = (...parts: Parameters<typeof checkReport>[1]) => checkReport(17, parts).good;
  const missing = { ...part, notRun: "none", verdicts: [] };
  assertEquals(good({ ...part, verdicts: passed }, missing), true);
  assertEquals(good({ ...part, verdicts: passed }, { ...missing, isNamed: true }), false);
  assertEquals(good(missing), false);
  assertEquals(good({ ...part, verdicts: [verdict("egl.a", "fail")] }), false);
});

Deno.test("resultText() tells what failed from what was not checked", () => {
  const part = { part: "egl", subject: "", isNamed: true } as const, passed = [verdict("egl.a", "pass")];
  const missing = { ...part, notRun: "none", verdicts: [] }, failed = [verdict("egl.a", "fail")];
  const text = (...parts: Parameters<typeof checkReport>[1]) => resultText(checkReport(17, parts));
  assertEquals(text({ ...part, verdicts: passed }), "meets what was checked");
  assertEquals(text({ ...part, verdicts: failed }, missing), "does not meet what was checked");
  assertEquals(text({ ...part, verdicts: passed }, missing), "what was named was not all checked");
  assertEquals(text(missing), "nothing was checked");
});
