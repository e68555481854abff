import { Progress, type ProgressPlace } from "../../process/progress.ts";
import { plain } from "../../process/terminal.ts";
import { isBad } from "../deqp/judge.ts";
import type { RunResult } from "../deqp/run_tasks.ts";

const SECOND = 1000;
/** Columns of a terminal that does not tell them. */
const FALLBACK_COLUMNS = 80;
/** The most workers that are named. */
const MOST_WORKERS = 4;

/** The terminal as a live line needs it. */
export interface LiveLineHost {
  /** Overwrites the line. */
  readonly show: (text: string) => void;
  /** Milliseconds on a clock that only goes forward. */
  readonly now: () => number;
  /** Columns of the terminal. */
  readonly columns: number;
  /** Ends what shows the line. */
  readonly end?: () => void;
}

/** A line that says how far a run has come: done, failed, rate, time left. */
export class LiveLine implements Disposable {
  readonly #all: number;
  readonly #host: LiveLineHost;
  readonly #began: number;
  #done = 0;
  #failed = 0;
  #running = "";
  /** The number of tasks that each worker has ended, where there are several workers. */
  readonly #workers = new Map<string, number>();

  /** A line about `all` tasks. */
  constructor(all: number, host: LiveLineHost) {
    [this.#all, this.#host, this.#began] = [all, host, host.now()];
  }

  /** A task has begun, on one of several workers if that is named. */
  started(key: string, worker?: string): void {
    this.#running = plain(worker === undefined ? key : `${worker}: ${key}`);
    this.#show();
  }

  /** A task has its result. */
  settled({ outcome }: Pick<RunResult<unknown>, "outcome">, worker?: string): void {
    this.#done++;
    if (worker !== undefined) this.#workers.set(worker, (this.#workers.get(worker) ?? 0) + 1);
    if (isBad(outcome)) this.#failed++;
    this.#show();
  }

  /** Clears the line, for other lines or for good. */
  clear(): void {
    this.#host.show("");
  }

  /** Clears the line and shows no other. */
  [Symbol.dispose](): void {
    this.clear();
    this.#host.end?.();
  }

  /** Each worker's share, as far as people can take that in. */
  #byWorker(): string {
    if (this.#workers.size > MOST_WORKERS) return `, ${this.#workers.size} workers`;
    return [...this.#workers].map(([worker, done]) => `, ${plain(worker)} ${done}`).join("");
  }

  #show(): void {
    const seconds = (this.#host.now() - this.#began) / SECOND, rate = seconds > 0 ? this.#done / seconds : 0;
    const left = rate > 0 ? `, ${timeText((this.#all - this.#done) / rate)} left` : "";
    const text = `${this.#done} of ${this.#all}, ${this.#failed} failed, ${
      rate.toFixed(1)
    }/s${left}${this.#byWorker()}: ${this.#running}`;
    this.#host.show(text.slice(0, Math.max(20, this.#host.columns - 1)));
  }
}

/** The live line of a command: in the last line of a terminal, elsewhere as a line each ten seconds. */
export function liveLineHere(command: string, all: number, place: ProgressPlace = {}): LiveLine {
  const progress = new Progress(command, place), isTerminal = place.isTerminal ?? Deno.stderr.isTerminal();
  return new LiveLine(all, {
    show: (text) => progress.show(text),
    now: () => performance.now(),
    columns: isTerminal ? Deno.consoleSize().columns || FALLBACK_COLUMNS : Infinity,
    end: () => progress[Symbol.dispose](),
  });
}

/** A time for people, such as `2 min 5 s`. */
export function timeText(seconds: number): string {
  const whole = Math.ceil(seconds), minutes = Math.floor(whole / 60);
  return minutes === 0 ? `${whole} s` : `${minutes} min ${whole % 60} s`;
}
