import { type JUnitCase, junitXml } from "../../../loader/junit.ts";
import { listLines } from "./case_list.ts";
import { outcomeText, statusText } from "./judge.ts";
import type { DeqpResult, DeqpRun } from "./options.ts";
import { type DeqpCase, statusOf } from "./status.ts";

/** A name, a status and perhaps seconds. The name may contain commas. */
const LINE = /^(.+?)\s*,\s*([A-Za-z]+)\s*(?:,\s*([\d.eE+-]*))?$/;

/**
 * Parses results: lines of `name,status` and optionally seconds, as in
 * baselines and results of common runners, or a log of dEQP (QPA).
 *
 * @throws {TypeError} for a line without a status.
 *
 * @example
 * ```ts
 * import { parseResults } from "@pumice/gfx/check";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parseResults("# known\na.b,Fail\n"), [{ name: "a.b", status: "Fail", message: "" }]);
 * ```
 */
export function parseResults(text: string): DeqpCase[] {
  if (/^#(?:sessionInfo|beginSession|beginTestCaseResult)\b/m.test(text)) return parseQpa(text);
  return listLines(text).map((line): DeqpCase => {
    const [, name, word = "", seconds] = LINE.exec(line) ?? [], status = statusOf(word);
    if (status === undefined) throw new TypeError(`Cannot read "${line}": write name,status, such as dEQP-VK.a.b,Fail`);
    return { name: plainName(name), status, message: "", ...seconds ? { seconds: Number(seconds) } : {} };
  });
}

/**
 * Formats results for {@linkcode parseResults}.
 *
 * @example
 * ```ts
 * import { resultLines } from "@pumice/gfx/check";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(resultLines([{ name: "a.b", status: "Fail", message: "", seconds: 0.5 }]), "a.b,Fail,0.5\n");
 * ```
 */
export function resultLines(results: readonly DeqpCase[]): string {
  return results.map(({ name, status, seconds }) => {
    return `${lineName(name)},${status}${seconds === undefined ? "" : `,${seconds}`}\n`;
  }).join("");
}

/** Names of driver tests may have what ends a name, a line or begins a comment. */
function lineName(name: string): string {
  return name.replace(/[%#\r\n]|^\s|\s$/g, encodeURIComponent);
}

function plainName(name: string): string {
  return name.replace(/%(?:25|23|0D|0A|20|09)/g, decodeURIComponent);
}

const CHARACTERS: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Returns the text that stands in XML. */
function xmlPlain(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos|#\d+);/g, (_, name: string) => {
    const number = Number(name.slice(1));
    return CHARACTERS[name] ?? (number <= MOST_CODE_POINT ? String.fromCodePoint(number) : `&${name};`);
  }).trim();
}

const BEGIN = "#beginTestCaseResult ", END = "#endTestCaseResult", TERMINATE = "#terminateTestCaseResult ";
const RESULT = /<Result\s+StatusCode="(\w+)"\s*(\/?)>/g, RESULT_END = "</Result>";
const MOST_CODE_POINT = 0x10ffff;
const DURATION = /<Number\s+Name="TestDuration"[^>]*>(\d+)</;

/** Parses a log of dEQP (QPA). A case that ended with its process is a `Crash`, unless the log has a status. */
export function parseQpa(text: string): DeqpCase[] {
  const results: DeqpCase[] = [];
  for (const part of `\n${text}`.split(`\n${BEGIN}`).slice(1)) {
    const name = part.slice(0, part.indexOf("\n")).trim();
    if (name !== "") results.push(caseIn(name, part));
  }
  return results;
}

function caseIn(name: string, part: string): DeqpCase {
  const end = part.indexOf(`\n${END}`), terminated = part.indexOf(`\n${TERMINATE}`);
  const result = end >= 0 ? resultIn(part.slice(0, end)) : undefined, status = result && statusOf(result.word);
  if (status) return { name, status, message: xmlPlain(result.text), ...secondsOf(part) };
  const word = terminated < 0 ? "" : part.slice(terminated + 1 + TERMINATE.length).split("\n")[0].trim();
  return { name, status: statusOf(word) ?? "Crash", message: word };
}

/** The first result that is whole. */
function resultIn(text: string): { readonly word: string; readonly text: string } | undefined {
  const last = text.lastIndexOf(RESULT_END);
  for (const { 0: { length }, 1: word, 2: isClosed, index } of text.matchAll(RESULT)) {
    if (isClosed) return { word, text: "" };
    const start = index + length;
    if (start <= last) return { word, text: text.slice(start, text.indexOf(RESULT_END, start)) };
  }
  return undefined;
}

function secondsOf(part: string): { readonly seconds?: number } {
  const duration = DURATION.exec(part);
  return duration ? { seconds: Number(duration[1]) / 1e6 } : {};
}

/**
 * Formats a run as JUnit's XML. The groups are its classes.
 *
 * @example
 * ```ts ignore
 * import { deqpJunit, runDeqp } from "@pumice/gfx/check";
 *
 * const run = await runDeqp({ command: ["./deqp-vk"], caseList: ["dEQP-VK.api.smoke.triangle"] });
 * Deno.writeTextFileSync("results.xml", deqpJunit(run, "deqp-vk"));
 * ```
 */
export function deqpJunit({ results }: DeqpRun, name = "dEQP"): string {
  return junitXml([{ name, cases: results.map(caseOf) }]);
}

/** A result as a case of JUnit. */
export function caseOf({ name, status, outcome, message, seconds, attempts }: DeqpResult): JUnitCase {
  const dot = name.lastIndexOf("."),
    word = outcomeText({ outcome, status }),
    about = message ? `${word}: ${message}` : word;
  const base = { name: name.slice(dot + 1), classname: dot < 0 ? "" : name.slice(0, dot), seconds };
  if (outcome === "skipped" || status === "NotSupported") return { ...base, skipped: about };
  if (outcome === "expected") return { ...base, skipped: `${about}; as the baseline says` };
  if (outcome === "fixed") {
    return {
      ...base,
      failure: { message: "the baseline says that it fails", text: `${about}; take it out of the baseline` },
    };
  }
  if (outcome === "passed") return base;
  const text = `${about}\nAttempts: ${attempts.map(statusText).join(", ")}`;
  return outcome === "flaky" ? { ...base, output: text } : { ...base, failure: { message: about, text } };
}
