/** A case of a JUnit report. */
export interface JUnitCase {
  /** The name. */
  readonly name: string;
  /** The name of the group that the case belongs to. */
  readonly classname: string;
  /** The duration in seconds. */
  readonly seconds?: number;
  /** The failure of the case: one line, and the whole text. */
  readonly failure?: { readonly message: string; readonly text: string };
  /** The reason why the case was not run. */
  readonly skipped?: string;
  /** Further output of the case. */
  readonly output?: string;
}

/** A group of cases. */
export interface JUnitSuite {
  /** The name. */
  readonly name: string;
  /** The cases. */
  readonly cases: readonly JUnitCase[];
}

/**
 * Writes a report in JUnit's XML, which test servers read.
 *
 * @example
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 *
 * const cases = [{ name: "a < b", classname: "order", failure: { message: "1 & 2", text: "" } }];
 * const xml = junitXml([{ name: "all", cases }]);
 * assertStringIncludes(xml, '<testsuite name="all" tests="1" failures="1" skipped="0">');
 * assertStringIncludes(xml, '<testcase name="a &lt; b" classname="order">');
 * ```
 */
export function junitXml(suites: readonly JUnitSuite[]): string {
  const all = suites.flatMap(({ cases }) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${countsOf(all)}>`,
    ...suites.flatMap(suiteLines),
    "</testsuites>",
    "",
  ].join("\n");
}

function suiteLines({ name, cases }: JUnitSuite): string[] {
  return [`  <testsuite name="${xmlText(name)}" ${countsOf(cases)}>`, ...cases.flatMap(caseLines), "  </testsuite>"];
}

function countsOf(cases: readonly JUnitCase[]): string {
  const failures = cases.filter(({ failure }) => failure).length;
  const skipped = cases.filter((each) => each.skipped !== undefined).length;
  return `tests="${cases.length}" failures="${failures}" skipped="${skipped}"`;
}

function caseLines({ name, classname, seconds, failure, skipped, output }: JUnitCase): string[] {
  const time = seconds === undefined ? "" : ` time="${seconds.toFixed(3)}"`;
  const start = `    <testcase name="${xmlText(name)}" classname="${xmlText(classname)}"${time}`;
  const inside = [
    ...failure ? [`      <failure message="${xmlText(failure.message)}">${xmlText(failure.text)}</failure>`] : [],
    ...skipped === undefined ? [] : [`      <skipped message="${xmlText(skipped)}"/>`],
    ...output ? [`      <system-out>${xmlText(output)}</system-out>`] : [],
  ];
  return inside.length === 0 ? [`${start}/>`] : [`${start}>`, ...inside, "    </testcase>"];
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes text for XML, including attributes. Characters that XML forbids become `?`. */
export function xmlText(text: string): string {
  // deno-lint-ignore no-control-regex
  const legal = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, "?");
  return legal.replace(/[&<>"]/g, (character) => ESCAPES[character]).replace(/\r?\n/g, "&#10;");
}
