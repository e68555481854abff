import { processorSeconds } from "../proc.ts";
import { clock } from "./progress.ts";
import type { TestResult } from "./report.ts";
import type { Outcome } from "./run_batch.ts";

/** The facts that the end of a run tells. */
interface Told {
  /** The last outcome of each batch. */
  readonly outcomes: readonly Outcome[];
  /** The first outcome of each batch. */
  readonly first: readonly Outcome[];
  readonly isVerbose: boolean;
  readonly leftOut: number;
  readonly seconds: number;
}

/** Tells what was skipped or left out, what passed only when run again, what failed, and the counts. */
export function tellSummary({ outcomes, first, isVerbose, leftOut, seconds }: Told): void {
  const sum = (key: "passed" | "failed") => outcomes.reduce((total, outcome) => total + outcome[key], 0);
  const skipped = outcomes.flatMap(skippedOf), failed = sum("failed");
  tellSkipped(skipped, isVerbose);
  if (leftOut > 0) console.log(`left out: ${leftOut} slow test files and the examples of the documentation; --all`);
  for (const [index, { batch }] of outcomes.entries()) {
    if (first[index].failed > 0 && outcomes[index].failed === 0) console.log(`flaky: ${batch.name}`);
  }
  for (const { batch } of outcomes.filter((outcome) => outcome.failed > 0)) console.log(`failed: ${batch.name}`);
  const verdict = failed === 0 ? "ok" : "FAILED";
  const counts = `${sum("passed")} passed | ${failed} failed | ${skipped.length} ignored`;
  console.log(
    `\n${verdict} | ${counts} (${clock(seconds)}; ${
      Math.ceil(processorSeconds(Deno.pid, { withChildren: true }))
    } CPU seconds)`,
  );
}

/** A skipped test, and the missing parts that it may need. */
interface Skipped {
  readonly name: string;
  readonly part: string;
}

/** The skipped tests of a batch. */
function skippedOf({ results, notes, batch }: Outcome): Skipped[] {
  const all = results.filter(({ status }) => status === "skipped");
  const files = Map.groupBy(all, ({ file }) => batch.files.includes(file) ? file : "");
  return [...files].flatMap(([file, skipped]) => {
    const missing = file === "" ? Object.values(notes.missing).flat() : notes.missing[file] ?? [];
    // Options that a file keeps apart are read once for several tests.
    const parts = [...new Set(missing)].join(" or ") || "a part that the file looks for itself";
    return skipped.map(({ name }, index) => {
      return { name, part: missing.length === skipped.length ? missing[index] : parts };
    });
  });
}

function tellSkipped(skipped: readonly Skipped[], isVerbose: boolean): void {
  const parts = [...Map.groupBy(skipped, ({ part }) => part)].sort(([, a], [, b]) => b.length - a.length);
  for (const [part, tests] of parts) {
    console.log(`skipped: ${tests.length} need${tests.length === 1 ? "s" : ""} ${part}`);
    if (isVerbose) { for (const { name } of tests) console.log(`  ${name}`); }
  }
  if (parts.length > 0 && !isVerbose) console.log("skipped tests are named with --verbose");
}

/** Names the files and the tests that took longest. */
export function tellSlowest(outcomes: readonly Outcome[], count: number): void {
  if (count === 0) return;
  const tests = outcomes.flatMap(({ results }) => results);
  const files = [...Map.groupBy(tests, ({ file }) => file)]
    .map(([file, own]) => ({ name: file, seconds: own.reduce((sum, { seconds }) => sum + seconds, 0) }));
  const named = tests.map(({ name, file, line, seconds }: TestResult) => {
    return { name: `${name} (${file}:${line})`, seconds };
  });
  for (const [title, all] of [["files", files], ["tests", named]] as const) {
    console.log(`slowest ${title}:`);
    for (const { name, seconds } of all.toSorted((a, b) => b.seconds - a.seconds).slice(0, count)) {
      console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
    }
  }
}

/** Names files that start programs against their record. */
export function tellUntrue(files: readonly string[]): void {
  if (files.length === 0) return;
  console.log(
    `tools/test/record.json says that no program is started by ${files.join(", ")}; \`deno task test --all\``,
  );
}
