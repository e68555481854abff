import { nameOf, OURS } from "./allocations.ts";
import type { AllocationOutcome } from "./allocations_child.ts";
import type { Program } from "./run.ts";

/** Milliseconds for a program of which each allocation fails: a driver may hang. */
const LONGEST = 300_000;
const CHILD = new URL("./allocations_child.ts", import.meta.url);
const MAP = new URL("../offline_import_map.json", import.meta.url).pathname;

/** A program of which each allocation has failed in turn. */
export interface AllocationRow {
  readonly name: string;
  /** Allocations that were failed, by how the program ended. */
  readonly endings: Readonly<Record<string, number>>;
  /** Failed allocations by the library that asked for them. */
  readonly asked: Readonly<Record<string, number>>;
  /** Runs after which allocations were left that a driver had asked for. */
  readonly leaky: number;
  /** Runs in which a driver freed what was not given out. */
  readonly misfreed: number;
  readonly findings: readonly string[];
}

/** Fails each allocation of a program in turn, in children: after a crash another one goes on behind it. */
export function allocationsInTurn({ name }: Program, driver: string, folder: string): AllocationRow {
  const endings: Record<string, number> = {}, asked: Record<string, number> = {}, findings: string[] = [];
  let leaky = 0, misfreed = 0;
  for (let first = 1;;) {
    const { lines, told } = childOf([driver, name, `${first}`, folder]);
    const [whole, ...rest] = lines as [{ calls: number; live: number; wrong: number } | undefined, ...unknown[]];
    if (whole === undefined) {
      return { name, endings, asked, leaky, misfreed, findings: [`the program failed: ${told}`] };
    }
    if (first === 1 && whole.live + whole.wrong > 0) findings.push(`without a failure: ${JSON.stringify(whole)}`);
    for (let at = 0; at + 1 < rest.length; at += 2) {
      const number = rest[at] as number, outcome = rest[at + 1] as AllocationOutcome;
      count(endings, outcome.ending);
      count(asked, outcome.who || "nobody this time");
      if (outcome.live > 0) leaky++;
      if (outcome.wrongBy !== "") misfreed++;
      findings.push(...outcome.findings.map((finding) => `allocation ${number}, of ${outcome.who}: ${finding}`));
    }
    if (rest.length % 2 === 0) return { name, endings, asked, leaky, misfreed, findings };
    const number = rest.at(-1) as number, [, library = ""] = /signal \d+ in (.*)/.exec(told) ?? [];
    count(endings, library === "" ? "ended or hung" : `crashed in ${nameOf(library)}`);
    if (library === "" || nameOf(library) === OURS) findings.push(`allocation ${number}: ${told}`);
    first = number + 1;
  }
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** Runs a child. Returns its lines of JSON, and the end of the rest. */
function childOf(args: readonly string[]): { readonly lines: unknown[]; readonly told: string } {
  const { stdout, stderr } = new Deno.Command("timeout", {
    args: [
      "-k",
      "5",
      `${LONGEST / 1000}`,
      Deno.execPath(),
      "run",
      "-A",
      "--no-check",
      `--import-map=${MAP}`,
      CHILD.href,
      ...args,
    ],
    cwd: args.at(-1),
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).outputSync();
  const lines: unknown[] = [], others: string[] = [];
  for (const line of new TextDecoder().decode(stdout).split("\n")) {
    try {
      lines.push(JSON.parse(line));
    } catch {
      others.push(line);
    }
  }
  const told = [...others, ...new TextDecoder().decode(stderr).split("\n")].filter((line) => line !== "").slice(-3)
    .join(" ");
  return { lines, told: told || "nothing was said" };
}

/** A line for a program, and its findings. */
export function allocationLines({ name, endings, asked, leaky, misfreed, findings }: AllocationRow): string[] {
  const texts = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([what, number]) => `${number} ${what}`).join(", ");
  const sum = Object.values(endings).reduce((one, other) => one + other, 0);
  if (sum === 0 && findings.length === 0) return [`${name}: no allocation`];
  const head = `${name}: ${sum} allocations failed: ${texts(endings)}; of ${texts(asked)}; ` +
    `the driver left memory after ${leaky}, freed foreign memory after ${misfreed}`;
  return [head, ...findings.map((finding) => `  ${finding}`)];
}
