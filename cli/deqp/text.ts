import type { DeqpResult, DeqpRun } from "../../loader/deqp/options.ts";

/** Returns a line about an unexpected result; `undefined` for an expected one. */
export function resultText({ name, status, outcome, message }: DeqpResult): string | undefined {
  if (["pass", "skip", "expected"].includes(outcome)) return undefined;
  const why = message ? `: ${message.replace(/\s*\n\s*/g, " ")}` : "";
  return `${outcome.padEnd(7)} ${status} ${name}${why}`;
}

/** How many there are of each outcome, and whether that is good. */
export function runText({ counts, results, isGood }: DeqpRun): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0).map(([outcome, count]) =>
    `${count} ${outcome}`
  );
  return `${results.length} cases: ${parts.join(", ")}\n${isGood ? "Good" : "Not good"}`;
}
