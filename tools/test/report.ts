import { relative, resolve } from "node:path";

/** A test that a process of tests had. */
export interface TestResult {
  /** The file that defines the test, from the working directory if it lies below that. */
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly seconds: number;
  readonly status: "passed" | "failed" | "skipped";
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** The tests in a report that `deno test --junit-path` wrote, in the order of each file, without steps of tests. */
export function readReport(xml: string): TestResult[] {
  const results: TestResult[] = [], names = new Set<string>();
  for (const [, attributes, content] of xml.matchAll(/<testcase ([^>]*)>([^]*?)<\/testcase>/g)) {
    const of = (key: string) => decode(attributes.match(`(?:^| )${key}="([^"]*)"`)?.[1] ?? "");
    const name = of("name"), file = pathOf(of("classname"));
    if (isStep(file, name, names)) continue;
    names.add(`${file} ${name}`);
    results.push({ file, line: Number(of("line")), name, seconds: Number(of("time")), status: statusOf(content) });
  }
  return results;
}

function statusOf(content: string): TestResult["status"] {
  if (/^\s*<skipped/.test(content)) return "skipped";
  return /^\s*<(failure|error)/.test(content) ? "failed" : "passed";
}

/** A path as the command line has it. `deno test` writes "./tests/one_test.ts", and "../" as often as needed. */
function pathOf(written: string): string {
  const path = resolve(decodeURIComponent(written)), below = relative(Deno.cwd(), path);
  return below.startsWith("../") ? path : below;
}

/** Whether a name is that of a test and of its step, as "test > step". */
function isStep(file: string, name: string, names: ReadonlySet<string>): boolean {
  const words = name.split(" > ");
  return words.some((_, index) => index > 0 && names.has(`${file} ${words.slice(0, index).join(" > ")}`));
}

function decode(text: string): string {
  return text.replace(/&(?:#(x?)(\w+)|(\w+));/g, (whole, hex, code, name) => {
    if (code) return String.fromCodePoint(parseInt(code, hex ? 16 : 10));
    return ENTITIES[name] ?? whole;
  });
}
