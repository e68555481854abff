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
export interface Noted {
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
