import type { NamedDriver } from "./options.ts";

/** The environment variable with the task of a process. */
export const VARIABLE = "PUMICE_GPU_TEST";

/** One test on one driver, for a process of its own. */
export interface Task {
  /** The test's name. */
  readonly name: string;
  /** The driver. */
  readonly driver: NamedDriver;
  /** Whether the driver is the first of the test's drivers. */
  readonly leads: boolean;
  /** The file for the outcome. */
  readonly result: string;
  /** The file that always contains the current position of the test. */
  readonly where: string;
  /** Whether each command is noted before it is called, as in the second run of a crashed test. */
  readonly notesAll?: boolean;
  /** The process that waits for the test. */
  readonly parent: number;
}

/** Drivers that a process of their own queries. */
export interface Probe {
  /** The libraries of the drivers. */
  readonly probe: readonly string[];
  /** The file for the answers, one line each. */
  readonly result: string;
}

/** The tests of the file are listed, and none runs. */
export interface Listing {
  /** The file for the tests, one line each. */
  readonly list: string;
}

let known: Task | Probe | Listing | null | undefined;

/** The task of this process; `undefined` in a process that starts others. Child processes do not inherit the task. */
export function ownTask(): Task | Probe | Listing | undefined {
  if (known === undefined) known = readTask();
  return known ?? undefined;
}

function readTask(): Task | Probe | Listing | null {
  const text = variable(VARIABLE);
  if (text === undefined) return null;
  Deno.env.delete(VARIABLE);
  return JSON.parse(text);
}

/** An environment variable; `undefined` also for an empty variable and without permission. */
export function variable(name: string): string | undefined {
  try {
    return Deno.env.get(name) || undefined;
  } catch {
    return undefined;
  }
}

/** The note while no noted command runs. */
export const IN_TEST = "in the test itself";
/** The first character of all notes after the test's beginning. */
const BEGUN = "+";
/** The length to which notes are padded, so that nothing of a longer earlier note stays. */
const LENGTH = 64;

/** Writes the current position of a test to a file, for the process that reports where the test hung or crashed. */
export class Where implements Disposable {
  readonly #file: Deno.FsFile;
  readonly #encoder = new TextEncoder();
  #resting = "opening the driver";

  /** Creates the file. */
  constructor(path: string) {
    this.#file = Deno.openSync(path, { write: true, create: true, truncate: true });
    this.note(this.#resting);
  }

  /** Notes that the driver is open, so that the test begins. */
  begin(): void {
    this.#resting = IN_TEST;
    this.note(IN_TEST);
  }

  /** Notes a few words that follow "it was". */
  note(words: string): void {
    this.#file.seekSync(0, Deno.SeekMode.Start);
    this.#file.writeSync(this.#encoder.encode(`${this.#resting === IN_TEST ? BEGUN : "-"}${words}`.padEnd(LENGTH)));
  }

  /** Notes that the last noted command has returned. */
  rest(): void {
    this.note(this.#resting);
  }

  /** Closes the file. */
  [Symbol.dispose](): void {
    this.#file.close();
  }
}

/** A note. */
interface Noted {
  /** Whether the test had begun. Before that the driver is opened. */
  readonly begun: boolean;
  /** The position of the test. */
  readonly words: string;
}

/** Reads the last note. */
export function readWhere(path: string): Noted {
  let text = "";
  try {
    text = Deno.readTextFileSync(path).trim();
  } catch {
    // the process has not created the file yet
  }
  return { begun: text.startsWith(BEGUN), words: text.slice(1) || "loading the test's file" };
}
