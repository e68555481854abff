/**
 * `deno task ok [--no-test]`: everything that must be green before a change is
 * good, one step after the other, with a table of the times at the end. All
 * steps run even when one fails.
 *
 * @module
 */

import { readOptions, runTask } from "./task.ts";

const HELP = `deno task ok [--no-test]

  --no-test  leave out the tests, which take minutes`;

interface Step {
  name: string;
  args: string[];
}

const STEPS: Step[] = [
  { name: "fmt", args: ["fmt", "--check", "--quiet"] },
  { name: "lint", args: ["lint", "--quiet"] },
  { name: "check", args: ["task", "--quiet", "check"] },
  { name: "doc lint", args: ["run", "--allow-read", "--allow-run", "tools/doc_lint.ts"] },
  { name: "shaders", args: ["task", "--quiet", "shaders", "--check"] },
  { name: "images", args: ["task", "--quiet", "generate", "--images", "--check"] },
  { name: "test", args: ["task", "--quiet", "test", "--all"] },
  { name: "publish", args: ["task", "--quiet", "publish", "--dry-run"] },
];

/** One finished step. */
interface Result {
  name: string;
  passed: boolean;
  seconds: number;
}

async function run(step: Step): Promise<Result> {
  console.log(`\n== ${step.name}: deno ${step.args.join(" ")}`);
  const start = performance.now();
  const { success } = await new Deno.Command("deno", { args: step.args, stdin: "null" }).spawn().status;
  return { name: step.name, passed: success, seconds: (performance.now() - start) / 1000 };
}

function printTable(results: Result[]): void {
  const longest = Math.max(...results.map((result) => result.seconds), 0.001);
  console.log("");
  for (const { name, passed, seconds } of results) {
    const bar = "█".repeat(Math.max(1, Math.round((seconds / longest) * 30)));
    console.log(`  ${passed ? "ok  " : "FAIL"}  ${name.padEnd(9)} ${seconds.toFixed(1).padStart(6)} s  ${bar}`);
  }
  const failed = results.filter((result) => !result.passed).length;
  console.log(`\n${failed === 0 ? "ok" : "FAILED"} | ${results.length - failed} passed | ${failed} failed`);
}

async function main(): Promise<number> {
  const { values } = readOptions(HELP, { options: { "no-test": { type: "boolean", default: false } } });
  const withTests = !values["no-test"];
  const results: Result[] = [];
  for (const step of STEPS) if (withTests || step.name !== "test") results.push(await run(step));
  printTable(results);
  return results.every((result) => result.passed) ? 0 : 1;
}

if (import.meta.main) await runTask(HELP, main);
