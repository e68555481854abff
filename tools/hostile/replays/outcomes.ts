import { runProgram } from "../../../tests/support/subprocess.ts";

/** The work of a child with recordings. */
export type Mode = "replay" | "compare" | "validate";

/** Milliseconds that a device may take for work, and seconds for a recording. */
export const TIMEOUT = 1000, BOUND = 60;

/** The fate of a recording. */
export interface Outcome {
  /** "taken", "refused", "died of signal N", "hung", or "finding". */
  readonly name: string;
  /** The error in words. */
  readonly message: string;
  /** The messages of a validation layer. */
  readonly said: readonly string[];
}

const SIGALRM = 14, KILLED = 128;

/** A line of the child. */
interface Told {
  readonly begun?: number;
  readonly said?: string;
  readonly ended?: number;
  readonly outcome?: "taken" | { readonly outcome: "refused" | { readonly finding: string }; readonly message: string };
}

/** Gives the recordings of a folder to children, of which each goes on behind the one that ended the child before. */
export function outcomesIn(
  folder: string,
  driver: string,
  [from, to]: readonly [number, number],
  mode: Mode,
): Outcome[] {
  const outcomes: Outcome[] = [];
  while (from + outcomes.length < to) {
    const args = [folder, driver, `${from + outcomes.length}`, `${to}`, mode];
    const { code, stdout, stderr } = runProgram("tools/hostile/replays/program.ts", args, { flags: ["--allow-sys"] });
    const before = outcomes.length;
    outcomes.push(...outcomesOf(stdout, code, stderr));
    if (outcomes.length === before) throw new Error(`The child ended with ${code} before a recording: ${stderr}`);
  }
  return outcomes;
}

function outcomesOf(stdout: string, code: number, stderr: string): Outcome[] {
  const outcomes: Outcome[] = [];
  let said: string[] | undefined;
  for (const told of stdout.split("\n").flatMap(toldIn)) {
    if (told.begun !== undefined) said = [];
    if (told.said !== undefined) said?.push(told.said);
    if (told.ended === undefined) continue;
    outcomes.push(outcomeOf(told, said ?? []));
    said = undefined;
  }
  if (said) outcomes.push({ name: endOf(code), message: stderr.trim().slice(-500), said });
  return outcomes;
}

/** The content of a line; nothing for one that a driver printed, or that was cut. */
function toldIn(line: string): Told[] {
  try {
    return line.startsWith("{") ? [JSON.parse(line)] : [];
  } catch {
    return [];
  }
}

function outcomeOf({ outcome }: Told, said: readonly string[]): Outcome {
  if (outcome === "taken" || !outcome) return { name: "taken", message: "", said };
  if (outcome.outcome === "refused") return { name: "refused", message: outcome.message, said };
  return { name: "finding", message: outcome.outcome.finding, said };
}

function endOf(code: number): string {
  return code === KILLED + SIGALRM ? "hung" : code > KILLED ? `died of signal ${code - KILLED}` : `ended with ${code}`;
}
