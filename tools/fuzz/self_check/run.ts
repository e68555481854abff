import { linesOf } from "../../setup/command.ts";
import type { Outcome } from "./check.ts";

/** The programs to check. */
export interface Programs {
  /** The libraries of the drivers to choose from. */
  readonly drivers: readonly string[];
  /** The first seed. */
  readonly first: number;
  /** The number of seeds. */
  readonly count: number;
  /** The number of processes at a time. */
  readonly jobs: number;
}

/** Programs of one process: few enough that processes share the work evenly. */
const BATCH = 20;
/** Milliseconds that one program may take; a process that is stuck is ended. */
const LONGEST = 60_000;
const ROOT = decodeURIComponent(new URL("../../../", import.meta.url).pathname);

/**
 * Checks programs in processes of their own. A program that ends its process
 * has that as its finding, and the next process goes on behind it.
 */
export async function selfChecks(programs: Programs, tell: (outcome: Outcome) => void): Promise<void> {
  const { first, count, jobs, drivers } = programs, last = first + count;
  let next = first;
  const work = async () => {
    while (next < last) {
      let from = next;
      const to = next = Math.min(next + BATCH, last);
      while (from < to) from = await checkRange(from, to, drivers, tell);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

/** Checks a range as far as its process gets. Returns the seed to go on with. */
async function checkRange(
  from: number,
  to: number,
  drivers: readonly string[],
  tell: (outcome: Outcome) => void,
): Promise<number> {
  const process = start(from, to, drivers), said = linesOf(process.stderr, () => {});
  const watch = new Watch(process);
  let begun = from;
  await linesOf(process.stdout, (text) => {
    watch.again();
    const line = JSON.parse(text) as Outcome | { readonly begun: number };
    if ("begun" in line) begun = line.begun;
    else tell(line);
  });
  const { code, signal, success } = await process.status, words = (await said).split("\n").at(-1);
  if (success) return to;
  const ending = watch.ended ?? `its process ended with ${signal ?? code}: ${words}`;
  tell({ seed: begun, drivers: [], reads: 0, gaps: [], findings: [ending], features: {} });
  return begun + 1;
}

function start(from: number, to: number, drivers: readonly string[]): Deno.ChildProcess {
  const program = `${ROOT}tools/fuzz/self_check/main.ts`, map = `--import-map=${ROOT}tools/offline_import_map.json`;
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", map, program, `${from}`, `${to}`, ...drivers],
    env: { NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Ends a process that says nothing for too long. */
class Watch {
  /** The reason why the process was ended; `undefined` if it was not. */
  ended: string | undefined;
  readonly #process: Deno.ChildProcess;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Begins to watch. The timer ends with the process. */
  constructor(process: Deno.ChildProcess) {
    this.#process = process;
    this.again();
    process.status.then(() => clearTimeout(this.#timer));
  }

  /** The process has said something. */
  again(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.ended = `the program was not done after ${LONGEST / 1000} s`;
      this.#process.kill("SIGKILL");
    }, LONGEST);
  }
}
