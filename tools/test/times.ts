import { CACHE } from "../setup/parts.ts";

const PATH = `${CACHE}/test_times.json`;
/** Assumed seconds of a batch that never ran here. */
const UNKNOWN = 20;

/** The time of each batch's last run on this machine. */
export class Times {
  readonly #seconds: Record<string, number>;

  /** Reads the known times; a missing or broken file counts as empty. */
  constructor() {
    try {
      this.#seconds = JSON.parse(Deno.readTextFileSync(PATH));
    } catch {
      this.#seconds = {};
    }
  }

  /** Seconds of a batch. */
  of(name: string): number {
    return this.#seconds[name] ?? UNKNOWN;
  }

  /** Notes seconds of a batch. */
  set(name: string, seconds: number): void {
    this.#seconds[name] = Math.round(10 * seconds) / 10;
  }

  /** Writes the known times. */
  save(): void {
    Deno.mkdirSync(CACHE, { recursive: true });
    Deno.writeTextFileSync(PATH, JSON.stringify(this.#seconds, null, 2));
  }
}
