/** What is noted while no noted command runs. */
export const IN_TEST = "in the test itself";
/** What stands before all that is noted since the test began. */
const BEGUN = "+";
/** What a note is padded to, so that a longer one before leaves nothing. */
const LENGTH = 64;

/** Keeps a file up to date with where a test is, for whoever has to say where it hung or crashed. */
export class Where implements Disposable {
  readonly #file: Deno.FsFile;
  readonly #encoder = new TextEncoder();
  #resting = "opening the driver";

  /** Begins a file. */
  constructor(path: string) {
    this.#file = Deno.openSync(path, { write: true, create: true, truncate: true });
    this.note(this.#resting);
  }

  /** The driver is open: from here on the time is the test's. */
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
  /** Whether the test had begun: before that the driver is opened. */
  readonly begun: boolean;
  /** Where it was. */
  readonly words: string;
}

/** What was noted last. */
export function readWhere(path: string): Noted {
  let text = "";
  try {
    text = Deno.readTextFileSync(path).trim();
  } catch {
    // the process has not come so far
  }
  return { begun: text.startsWith(BEGUN), words: text.slice(1) || "loading the test's file" };
}
