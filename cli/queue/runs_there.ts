import type { Queue } from "./connect.ts";
import { decode, PROTOCOL, type RunRecord } from "./messages.ts";
import { delay } from "./patience.ts";

/** A run that goes on. */
export interface RunThere {
  /** The run's name. */
  readonly name: string;
  /** The run. */
  record: RunRecord;
  /** Ends with the run. */
  readonly end: AbortController;
}

/** The runs that go on, as the queue tells of them. Runs of other versions are left out. */
export class RunsThere {
  readonly #queue: Queue;
  readonly #version: string;
  readonly #runs = new Map<string, RunThere>();
  readonly #stop = new AbortController();
  #changed = Promise.withResolvers<void>();

  /** Runs of a version of the library. */
  constructor(queue: Queue, version: string) {
    [this.#queue, this.#version] = [queue, version];
  }

  /** The runs, oldest first. */
  get all(): readonly RunThere[] {
    return [...this.#runs.values()];
  }

  /** A run by its name. */
  get(name: string): RunThere | undefined {
    return this.#runs.get(name);
  }

  /** Resolves at the next change. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Follows the queue until {@linkcode stop}. */
  async follow(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#watch();
      } catch {
        // the server is away; the next watch begins with all runs
      }
      await delay(250, this.#stop.signal);
    }
  }

  /** Ends {@linkcode follow}. */
  stop(): void {
    this.#stop.abort();
    this.#tell();
  }

  /** Asks whether a run is over, which {@linkcode follow} may not have heard yet. */
  async isOver(name: string): Promise<boolean> {
    const entry = await this.#queue.runs.get(name).catch(() => undefined);
    if (entry === undefined || entry?.operation === "PUT") return false;
    this.#end(name);
    return true;
  }

  async #watch(): Promise<void> {
    const entries = await this.#queue.runs.watch(), stop = () => entries.stop();
    this.#stop.signal.addEventListener("abort", stop);
    try {
      if (this.#stop.signal.aborted) stop();
      for await (const { key, operation, value } of entries) {
        if (operation === "PUT") this.#take(key, decode<RunRecord>(value));
        else this.#end(key);
      }
    } finally {
      this.#stop.signal.removeEventListener("abort", stop);
    }
  }

  #take(name: string, record: RunRecord): void {
    if (record.protocol !== PROTOCOL || record.version !== this.#version) return;
    const known = this.#runs.get(name);
    if (known) known.record = record;
    else this.#runs.set(name, { name, record, end: new AbortController() });
    this.#tell();
  }

  #end(name: string): void {
    this.#runs.get(name)?.end.abort();
    this.#runs.delete(name);
    this.#tell();
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
