import { showProgress } from "./terminal.ts";

/** Milliseconds between lines of progress where standard error is no terminal. */
const EVERY = 10_000;

/** The place where progress is shown; the defaults are those of this process. */
export interface ProgressPlace {
  /** Whether standard error is a terminal. */
  readonly isTerminal?: boolean;
  /** Writes a whole line. */
  readonly write?: (line: string) => void;
  /** Overwrites the terminal's last line. */
  readonly overwrite?: (text: string) => void;
  /** Milliseconds between lines where there is no terminal. */
  readonly every?: number;
}

/**
 * The progress of a long command, on standard error: in the last line of a
 * terminal, and elsewhere as a line each ten seconds, so that no log looks as if
 * the command hung.
 */
export class Progress implements Disposable {
  readonly #place: Required<ProgressPlace>;
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  #text = "";

  /** Begins to show how far a command is. */
  constructor(command: string, place: ProgressPlace = {}) {
    this.#place = {
      isTerminal: Deno.stderr.isTerminal(),
      write: (line) => console.error(line),
      overwrite: showProgress,
      every: EVERY,
      ...place,
    };
    const { isTerminal, write, every } = this.#place;
    if (isTerminal) return;
    const timer = setInterval(() => this.#text !== "" && write(`${command}: ${this.#text}`), every);
    Deno.unrefTimer(timer);
    this.#timer = timer;
  }

  /** Shows how far the command is now; `""` for nothing. */
  show(text: string): void {
    this.#text = text;
    if (this.#place.isTerminal) this.#place.overwrite(text);
  }

  /** Writes a line that stays. */
  tell(line: string): void {
    const { isTerminal, overwrite, write } = this.#place;
    if (isTerminal) overwrite("");
    write(line);
    if (isTerminal) overwrite(this.#text);
  }

  /** Clears the terminal's last line. Nothing is shown afterwards, unless it is shown anew. */
  [Symbol.dispose](): void {
    this.show("");
    clearInterval(this.#timer);
  }
}
