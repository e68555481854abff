import fc from "fast-check";
import { type Row, tried } from "./outcome.ts";
import { type Subject, subjects } from "./subjects.ts";

/** Bytes by which the process may grow over all inputs of a reader. */
const MOST_GROWTH = 512 << 20;
/** Sentences of a reader that are kept. */
const KEPT = 3;

/** Gives each reader so many inputs that are nearly right. The same seed makes the same inputs. */
export function fuzzed(seed: number, runs: number, folder: string): Row[] {
  return subjects().map((subject) => fuzzedSubject(subject, seed, runs, folder));
}

function fuzzedSubject({ kind, reader, inputs, read }: Subject, seed: number, runs: number, folder: string): Row {
  const counts: Record<string, number> = {}, found = new Map<string, string>(), path = `${folder}/input.json`;
  const before = Deno.memoryUsage().rss;
  for (const input of fc.sample(inputs, { seed, numRuns: runs })) {
    if (typeof input === "string") Deno.writeTextFileSync(path, input);
    else Deno.writeFileSync(path, input);
    const outcome = tried(() => read(input, path)), name = typeof outcome === "string" ? outcome : "findings";
    counts[name] = (counts[name] ?? 0) + 1;
    if (typeof outcome !== "string" && !found.has(outcome.finding)) found.set(outcome.finding, shown(input));
  }
  const findings = [...found].slice(0, KEPT).map(([finding, input]) => `${finding}; for ${input}`);
  const grown = Deno.memoryUsage().rss - before;
  if (grown > MOST_GROWTH) findings.push(`the process has ${grown} bytes more`);
  return { kind, reader, inputs: runs, counts, findings };
}

function shown(input: string | Uint8Array): string {
  const text = typeof input === "string" ? JSON.stringify(input) : input.toHex();
  return text.length > 600 ? `${text.slice(0, 600)}… (${text.length} characters)` : text;
}
