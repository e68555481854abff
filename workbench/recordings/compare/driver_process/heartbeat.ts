import type { Recording } from "../../replay/recording_file.ts";

/** Milliseconds between two signs of life. */
const INTERVAL = 1000;

/**
 * A recording that calls back now and then while somebody goes through the
 * lines. What takes long between two lines is no driver.
 */
export function withHeartbeat(
  { lines, data }: Recording,
  onAlive: () => void,
  clock: () => number = () => performance.now(),
): Recording {
  let latest = clock();
  return {
    data,
    lines: {
      *entries() {
        for (const entry of lines.entries()) {
          const now = clock();
          if (now - latest > INTERVAL) {
            latest = now;
            onAlive();
          }
          yield entry;
        }
      },
    },
  };
}

/** Digits of a line number, padded so that a longer one before leaves nothing. */
const WIDTH = 12;

/** A file that always has the number of the line that is carried out. */
export class LineNote implements Disposable {
  readonly #file: Deno.FsFile;
  readonly #encoder = new TextEncoder();

  /** Begins a file. */
  constructor(path: string) {
    this.#file = Deno.openSync(path, { write: true, create: true, truncate: true });
  }

  /** Writes a number. */
  put(line: number): void {
    this.#file.seekSync(0, Deno.SeekMode.Start);
    this.#file.writeSync(this.#encoder.encode(`${line}`.padEnd(WIDTH)));
  }

  /** Closes the file. */
  [Symbol.dispose](): void {
    this.#file.close();
  }
}

/** Returns the number in a file; undefined if there is none. */
export function notedLine(path: string): number | undefined {
  try {
    return Number(Deno.readTextFileSync(path)) || undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
