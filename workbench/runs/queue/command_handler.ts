import { dirname } from "node:path";
import type { RunVerdict } from "../deqp/run_tasks.ts";
import type { DeqpStatus } from "../deqp/status.ts";
import { hashOf, isBelow } from "../test/archive.ts";
import { filesBelow } from "../test/away.ts";
import type { SentFile } from "../test/home.ts";
import { endingWithParent } from "./deqp_handler.ts";
import { newName } from "./names.ts";
import { sendFiles } from "./test_handler.ts";
import type { Batch, Handler } from "./worker_options.ts";

/** The kind of runs of command lines. */
export const COMMAND = "command";
/** The commands that workers run. */
const COMMANDS = ["check", "compare", "fuzz", "reduce"] as const;

/** A command that workers run. */
export type AwayCommand = typeof COMMANDS[number];

/** The common part of the tasks of a run of command lines. */
export interface CommandCommon {
  readonly command: AwayCommand;
}

/**
 * The folder of a command line, in its words: the folder has files in `in/`, and what the command writes into `out/`
 * comes home. The command line itself runs where the worker runs, so that its paths of drivers and layers hold.
 */
export const FOLDER = "{folder}";

/** One command line. */
export interface CommandWork {
  /** The words behind the command, without drivers. */
  readonly words: readonly string[];
  /** The names of the drivers, in the order of `--driver`. */
  readonly drivers: readonly string[];
  /** The SHA-256 of each file of `in/`, by its name. */
  readonly files: Readonly<Record<string, string>>;
}

/** The outcome of a command line. */
export interface CommandDetails {
  /** The exit code. */
  readonly code: number;
  /** The JSON that the command printed; absent if the worker stored it. */
  readonly report?: unknown;
  /** The name under which the worker stored a long report. */
  readonly stored?: string;
  /** The files of `out/`. */
  readonly files: readonly SentFile[];
}

/** The name under which a file of `in/` is stored. */
export function inputName(hash: string): string {
  return `input.${hash}`;
}

/** Milliseconds that a command line may take. */
const LONGEST = 6 * 3_600_000;
/** Milliseconds for a process that was told to end: one that hangs in a driver hears no signal. */
const GRACE = 3000;
/** The most characters of a report in a message. */
const MOST = 32_768;
/** The most characters of an error that are told. */
const TOLD = 2000;
/** Exit codes of commands that have done their work: without a finding, with one, and with one that is not sure. */
const VERDICTS: Readonly<Record<number, DeqpStatus>> = { 0: "Pass", 1: "Fail", 3: "Fail" };

/**
 * Returns a handler that runs command lines, each in a process and a folder of its own, below a private folder.
 *
 * @param program The words that start the command line of this version.
 */
export function commandHandler(folder: string, program: readonly string[]): Handler {
  const start = [...endingWithParent(), ...program];
  return async (batch, { started, ended }) => {
    for (const { key, work } of batch.pieces) {
      if (batch.signal.aborted) return;
      started(key);
      const own = Deno.makeTempDirSync({ dir: folder });
      try {
        const verdict = await verdictOf(key, work as CommandWork, { ...batch, folder: own, start });
        if (verdict) ended(verdict);
      } finally {
        Deno.removeSync(own, { recursive: true });
      }
    }
  };
}

/** The place where a command line runs. */
interface Place extends Batch {
  readonly folder: string;
  readonly start: readonly string[];
}

async function verdictOf(
  key: string,
  work: CommandWork,
  place: Place,
): Promise<RunVerdict<CommandDetails> | undefined> {
  await putFiles(work, place);
  const began = performance.now(), { code, signal, stdout, stderr, isLate } = await ran(work, place);
  if (place.signal.aborted) return undefined;
  const seconds = (performance.now() - began) / 1000,
    told = (stderr.trim() || stdout.trim()).slice(-TOLD),
    report = jsonOf(stdout);
  if (isLate) return { name: key, status: "Timeout", message: `did not end in ${LONGEST / 3_600_000} h`, seconds };
  if (signal !== null) return { name: key, status: "Crash", message: `ended by ${signal}: ${told}`, seconds };
  const status = report === undefined ? undefined : VERDICTS[code];
  if (!status) return { name: key, status: "InternalError", message: `exit code ${code}: ${told}`, seconds };
  const details = { code, ...await sent(report, stdout, place), files: await sendFiles(outputs(place), place.store) };
  return { name: key, status, message: "", seconds, details, isFinal: true };
}

/** Puts the files of a command line into its folder. */
async function putFiles({ files }: CommandWork, { folder, store }: Place): Promise<void> {
  Deno.mkdirSync(`${folder}/out`);
  for (const [name, hash] of Object.entries(files)) {
    if (!isBelow(name)) throw new Error(`the file "${name}" of the task leads out of the task's folder`);
    const bytes = await store.get(inputName(hash));
    if (!bytes) throw new Error(`the queue has lost ${name}: the run's store was lost; run it anew`);
    if (await hashOf(bytes) !== hash) throw new Error(`${name} was exchanged in the queue`);
    Deno.mkdirSync(dirname(`${folder}/in/${name}`), { recursive: true });
    Deno.writeFileSync(`${folder}/in/${name}`, bytes);
  }
}

/** The end of a process, with its texts. */
interface Ran extends Pick<Deno.CommandStatus, "code" | "signal"> {
  readonly stdout: string;
  readonly stderr: string;
  readonly isLate: boolean;
}

async function ran({ words, drivers }: CommandWork, place: Place): Promise<Ran> {
  const { command } = place.common as CommandCommon, [program, ...before] = place.start;
  if (!COMMANDS.includes(command)) throw new Error(`workers run no command "${command}"`);
  const given = drivers.map((name) => `--driver=${pathOf(name, place)}`);
  const own = words.map((word) => word.replaceAll(FOLDER, place.folder)), late = AbortSignal.timeout(LONGEST);
  const child = new Deno.Command(program, {
    args: [...before, command, ...given, "--json", ...own],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const { code, signal, stdout, stderr } = await outputOf(child, AbortSignal.any([place.signal, late]));
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).replaceAll(`${place.folder}/`, "");
  return { code, signal, stdout: text(stdout), stderr: text(stderr), isLate: late.aborted };
}

/** The output of a process, which is told to end by a signal, and is killed if it goes on. */
async function outputOf(child: Deno.ChildProcess, signal: AbortSignal): Promise<Deno.CommandOutput> {
  let alarm: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    child.kill("SIGTERM");
    alarm = setTimeout(() => child.kill("SIGKILL"), GRACE);
  };
  if (signal.aborted) end();
  signal.addEventListener("abort", end);
  try {
    return await child.output();
  } finally {
    signal.removeEventListener("abort", end);
    clearTimeout(alarm);
  }
}

function pathOf(name: string, { driver, drivers }: Batch): string {
  const found = [driver, ...drivers].find((each) => each.name === name);
  if (!found) throw new Error(`this worker has no driver ${name}`);
  return found.path;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A report as a part of the message, or stored beside it. */
async function sent(
  report: unknown,
  text: string,
  { store }: Place,
): Promise<Pick<CommandDetails, "report" | "stored">> {
  if (text.length <= MOST) return { report };
  const stored = `report.${newName()}`;
  await store.put(stored, new TextEncoder().encode(text));
  return { stored };
}

function outputs({ folder }: Place): Map<string, string> {
  const root = `${folder}/out`;
  return new Map(filesBelow(root).map((path) => [path.slice(root.length + 1), path]));
}
