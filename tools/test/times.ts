import { CACHE } from "../setup/parts.ts";

const PATH = `${CACHE}/test_times.json`;
/** What a batch is taken to need that never ran here, in seconds. */
const UNKNOWN = 20;

/** How long each batch took when it last ran on this machine. */
export class Times {
  readonly #seconds: Record<string, number>;

  /** Reads what is known; a missing or broken file is nothing known. */
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

  /** Writes what is known. */
  save(): void {
    Deno.mkdirSync(CACHE, { recursive: true });
    Deno.writeTextFileSync(PATH, JSON.stringify(this.#seconds, null, 2));
  }
}
