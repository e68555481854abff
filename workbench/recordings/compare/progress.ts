import { sha256 } from "../../../loader/layers/shipped/native/sha256.ts";
import { writeWhole } from "../../../ffi/file/whole_file.ts";
import type { Interval } from "./bisect.ts";

/** The progress of the search for a command. */
export interface BisectProgress {
  /** Number of the submission that differs, from 0. */
  readonly submission: number;
  /** The actions between which the search goes on; undefined before the first replay. */
  readonly interval?: Interval;
  /** The counts so far. */
  readonly counts: { readonly submissions: number; readonly pieces: number; readonly replays: number };
}

/** The contents of the file. */
interface Content extends BisectProgress {
  /** The question of the search: another question begins anew. */
  readonly question: string;
}

/**
 * A file with the progress of a search, so that the search goes on there after the process has ended. Each step
 * replaces the whole file.
 */
export class ProgressFile {
  readonly #path: string;
  readonly #question: string;

  /** Makes a file for a question: everything that decides the answer. */
  constructor(path: string, question: unknown) {
    this.#path = path;
    this.#question = sha256(new TextEncoder().encode(JSON.stringify(question)));
  }

  /**
   * Returns how far an earlier search for the same has come; undefined if there
   * was none.
   *
   * @throws {TypeError} if the file is of another kind.
   */
  read(): BisectProgress | undefined {
    const found = this.#content();
    return found?.question === this.#question ? found : undefined;
  }

  /** Writes the progress of the search. Throws a `TypeError` if the file cannot be written. */
  write(progress: BisectProgress): void {
    const content: Content = { question: this.#question, ...progress };
    try {
      writeWhole(this.#path, `${JSON.stringify(content)}\n`);
    } catch (error) {
      throw new TypeError(`Cannot write the progress "${this.#path}": ${(error as Error).message}`);
    }
  }

  /** Removes the file: the search has ended. */
  remove(): void {
    try {
      Deno.removeSync(this.#path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  #content(): Content | undefined {
    let text: string;
    try {
      text = Deno.readTextFileSync(this.#path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw new TypeError(`Cannot read the progress "${this.#path}": ${(error as Error).message}`);
    }
    const found = parsed(text);
    if (typeof found?.question === "string" && Number.isSafeInteger(found.submission) && found.counts) return found;
    throw new TypeError(`Cannot use "${this.#path}": it is no progress of a comparison; give another file`);
  }
}

function parsed(text: string): Content | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
