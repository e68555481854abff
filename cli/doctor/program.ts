import { temporaryFolder } from "../../loader/temporary_folder.ts";
import { driverEnvironment } from "../../workbench/runs/deqp/process.ts";
import { isThere, notStarted } from "../../workbench/process/files.ts";
import { plain } from "../../workbench/process/terminal.ts";
import type { Machine } from "./machine.ts";
import { seekOne, without } from "./one_variable.ts";

/** The end of a program; `timed out` is a program that still ran at the end of its time. */
export type Ending = "passed" | "failed" | "crashed" | "timed out";

/** A run of the program. */
export interface Attempt {
  /** The difference from other runs: `as it is`, `without LAYER`, `with DRIVER alone`, `without VARIABLE`. */
  readonly what: string;
  /** The layer or variable that is off, or the driver that is alone; absent for the program as it is. */
  readonly subject?: Subject;
  /** The variables that are set for this. */
  readonly variables: Readonly<Record<string, string>>;
  /** The variables that are taken away for this. */
  readonly unset?: readonly string[];
}

/** A possible cause of trouble: a layer, a driver, all implicit layers together, or all variables together. */
export interface Subject {
  readonly kind: "layer" | "driver" | "layers" | "variables";
  readonly name: string;
}

/** A run of the program. */
export interface Run extends Attempt {
  readonly outcome: Ending;
  /** The exit code; absent for a signal and for a program that still ran. */
  readonly code?: number;
  readonly signal?: string;
  readonly seconds: number;
  /** The last line that the program printed. */
  readonly lastLine: string;
}

const SECOND = 1000;
/** Milliseconds that a program has to end after SIGTERM. */
const LAST_CHANCE = 2000;

/**
 * The runs, in order: first nothing is changed, then each active implicit layer off, all of them off, each driver
 * alone, and none of the variables that change how Vulkan programs run.
 */
export function attemptsOf({ layers, drivers, settings }: Machine, folder: string): Attempt[] {
  const active = layers.filter(({ isActive }) => isActive);
  const set = settings.map(({ name }) => name).filter((name) => /^[A-Za-z_]\w*$/.test(name));
  const all = { ...Object.fromEntries(active.map(({ off }) => off)), VK_LOADER_LAYERS_DISABLE: "~implicit~" };
  return [
    { what: "as it is", variables: {} },
    ...active.map(({ name, off: [variable, value] }): Attempt => ({
      what: `without ${name}`,
      subject: { kind: "layer", name },
      variables: { [variable]: value },
    })),
    ...active.length > 1
      ? [
        {
          what: "without implicit layers",
          subject: { kind: "layers", name: "implicit layers" },
          variables: all,
        } as const,
      ]
      : [],
    ...drivers.filter(({ trouble }) => trouble === undefined).map(({ name, path }): Attempt => ({
      what: `with ${name} alone`,
      subject: { kind: "driver", name },
      variables: driverEnvironment(path, folder),
    })),
    ...set.length > 0 ? [without(set)] : [],
  ];
}

/**
 * Runs a program once for each attempt, each for so many seconds at most, and more often to find the one variable of
 * several that breaks it. `tell` gets each run when it has ended.
 */
export async function tryProgram(
  line: readonly string[],
  machine: Machine,
  seconds: number,
  tell: (run: Run) => void,
): Promise<Run[]> {
  using folder = temporaryFolder("doctor");
  const runs: Run[] = [];
  const run = async (attempt: Attempt) => {
    const done = await runOnce(line, attempt, `${folder.path}/output`, seconds);
    runs.push(done);
    tell(done);
    return done;
  };
  for (const attempt of attemptsOf(machine, folder.path)) await run(attempt);
  const isSuspected = verdictOf(runs, machine).culprits[0]?.kind === "variables", all = runs.at(-1)!.unset ?? [];
  if (isSuspected) await seekOne(all, run, (other) => isBetter(other, runs[0]));
  return runs;
}

/** Refuses what is no program. Throws a `WrongUse` with the reason. */
export function refuseNone(program: string): void {
  const script = 'found=$(command -v -- "$0") && test -x "$found" && test ! -d "$found"';
  const { success } = new Deno.Command("sh", { args: ["-c", script, program], stdin: "null", stderr: "null" })
    .outputSync();
  if (success) return;
  const isRefused = program.includes("/") && isThere(program);
  throw notStarted("doctor", program, new (isRefused ? Deno.errors.PermissionDenied : Deno.errors.NotFound)(program));
}

/** The program's words go to a file: a process that the program leaves behind may keep a pipe open for ever. */
async function runOnce(line: readonly string[], attempt: Attempt, output: string, seconds: number): Promise<Run> {
  const began = performance.now();
  const child = new Deno.Command("sh", {
    args: ["-c", `${attempt.unset ? `unset ${attempt.unset.join(" ")}; ` : ""}exec "$@" >"$0" 2>&1`, output, ...line],
    env: { ...attempt.variables },
    stdin: "null",
  }).spawn();
  let isLate = false, hard: ReturnType<typeof setTimeout> | undefined;
  const soft = setTimeout(() => {
    isLate = true;
    kill(child, "SIGTERM");
    hard = setTimeout(() => kill(child, "SIGKILL"), LAST_CHANCE);
  }, SECOND * seconds);
  const { code, signal } = await child.status;
  clearTimeout(soft);
  clearTimeout(hard);
  const spent = Number(((performance.now() - began) / SECOND).toFixed(1)), lastLine = lastLineIn(output);
  const base = { ...attempt, seconds: spent, lastLine };
  if (isLate) return { ...base, outcome: "timed out" };
  if (signal !== null) return { ...base, outcome: "crashed", signal };
  return { ...base, outcome: code === 0 ? "passed" : "failed", code };
}

function kill(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // it ended at this moment
  }
}

function lastLineIn(path: string): string {
  const lines = new TextDecoder().decode(Deno.readFileSync(path)).split("\n").map((line) => line.trim()).filter(
    Boolean,
  );
  return plain(lines.at(-1) ?? "");
}

/** The verdict of all runs. */
export interface Verdict {
  /** Whether the program works as it is: it passed, or ran on in every run as programs with a window do. */
  readonly isGood: boolean;
  /** Whatever breaks the program. */
  readonly culprits: readonly Subject[];
  /** A sentence, with what to do. */
  readonly sentence: string;
}

/** A run that ends well is better than one that goes on, and that is better than one that fails. */
const RANKS: Readonly<Record<Ending, number>> = { passed: 2, "timed out": 1, failed: 0, crashed: 0 };

function isBetter(run: Run, other: Run): boolean {
  return RANKS[run.outcome] > RANKS[other.outcome];
}

/** Compares the runs with that of the program as it is, the first. */
export function verdictOf(
  [bare, ...others]: readonly Run[],
  { layers, drivers: known }: Pick<Machine, "layers" | "drivers">,
): Verdict {
  const of = (kind: string) => others.filter(({ subject }) => subject?.kind === kind);
  const better = (run: Run) => isBetter(run, bare);
  const guilty = of("layer").filter(better), drivers = of("driver");
  if (guilty.length > 0) {
    const parts = guilty.map(({ what, outcome, variables, subject }) => {
      const { owner } = layers.find(({ name }) => name === subject!.name)!;
      return `${subject!.name} (${owner}) breaks the program, which ${outcome} ${what}. ` +
        `Set ${assignments(variables)}, update or remove the layer.`;
    });
    return { isGood: false, culprits: guilty.map(({ subject }) => subject!), sentence: parts.join(" ") };
  }
  const [all] = of("layers");
  if (all && better(all)) {
    const sentence = `Several implicit layers break the program, which ${all.outcome} without all of them. ` +
      "Set VK_LOADER_LAYERS_DISABLE=~implicit~, and turn them on again one by one.";
    return { isGood: false, culprits: [all.subject!], sentence };
  }
  const good = drivers.filter(better), broken = known.filter(({ trouble, isIdle }) => trouble !== undefined && !isIdle);
  const bad = [
    ...drivers.filter((run) => !better(run)).map(({ subject }) => subject!.name),
    ...broken.map(({ name }) => name),
  ];
  if (good.length > 0) {
    const names = bad.join(", ") || "Something beside the driver";
    const sentence = `${names} breaks the program, which ${good[0].outcome} ${good[0].what}. ` +
      `Set ${assignments(good[0].variables)}, or update the driver.`;
    return { isGood: false, culprits: bad.map((name) => ({ kind: "driver", name })), sentence };
  }
  const [fewest] = of("variables").filter(better).sort((one, other) => one.unset!.length - other.unset!.length);
  return fewest ? blamed(fewest) : alike(bare, others);
}

function blamed({ what, outcome, subject, unset = [] }: Run): Verdict {
  const isOne = unset.length === 1, who = isOne ? unset[0] : `One of ${unset.join(", ")}`;
  const sentence = `${who} breaks the program, which ${outcome} ${isOne ? what : "without all of them"}. ` +
    (isOne ? `Correct the variable, or unset ${unset[0]}.` : "Unset the variables one by one.");
  return { isGood: false, culprits: [subject!], sentence };
}

function alike(bare: Run, others: readonly Run[]): Verdict {
  const isGood = RANKS[bare.outcome] > 0, worse = others.filter(({ outcome }) => RANKS[outcome] < RANKS[bare.outcome]);
  const culprits = isGood
    ? worse.filter(({ subject }) => subject?.kind === "driver").map(({ subject }) => subject!)
    : [];
  const also = worse.map(({ what, outcome }) => ` It ${outcome} ${what}.`).join("");
  if (bare.outcome === "passed") return { isGood, culprits, sentence: `The program passed as it is.${also}` };
  if (isGood) return { isGood, culprits, sentence: `The program still ran at the end of its time, as it is.${also}` };
  const said = bare.lastLine === "" ? "" : ` Its last line: ${bare.lastLine}`;
  const sentence =
    `The program ${bare.outcome} in every run: no implicit layer, no driver alone and no variable is the cause.${said}`;
  return { isGood, culprits, sentence };
}

function assignments(variables: Readonly<Record<string, string>>): string {
  const [[name, value]] = Object.entries(variables);
  return `${name}=${value}`;
}
