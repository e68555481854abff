import type { Msg } from "@nats-io/transport-node";
import type { Queue } from "./connect.ts";
import { decode, PROTOCOL, type RunRecord } from "./messages.ts";
import { RUNS } from "./names.ts";
import { delay } from "./patience.ts";

/** Milliseconds between two looks through the bucket. */
const LOOK = 5000;

/** A run that goes on. */
export interface RunThere {
  /** The run's name. */
  readonly name: string;
  /** The run. */
  record: RunRecord;
  /** Ends with the run. */
  readonly end: AbortController;
}

/** The runs that go on, as the queue reports them. Runs of other versions are left out. */
export class RunsThere {
  readonly #queue: Queue;
  readonly #version: string;
  readonly #runs = new Map<string, RunThere>();
  /** Runs that have ended, whose names the bucket still has. */
  readonly #over = new Set<string>();
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

  /**
   * Follows the queue until {@linkcode stop}: gets changes as they are stored, and looks through the bucket at times
   * for changes that were missed. A watch of the client would leave a consumer on the server if this process is killed.
   */
  async follow(): Promise<void> {
    const { connection } = this.#queue,
      changes = connection.subscribe(`$KV.${RUNS}.>`, {
        callback: (error, message) => {
          if (!error) this.#hear(message);
        },
      });
    while (!this.#stop.signal.aborted) {
      await this.#look().catch(() => {}); // the server is away; the next look comes soon
      await delay(LOOK, this.#stop.signal);
    }
    changes.unsubscribe();
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

  /** An error thrown here would end the process: what is no record of a run is passed over. */
  #hear({ subject, headers, data }: Msg): void {
    try {
      const name = subject.slice(subject.lastIndexOf(".") + 1);
      if (headers?.get("KV-Operation")) this.#end(name);
      else this.#take(name, decode<RunRecord>(data));
    } catch {
      // another program wrote to the bucket
    }
  }

  async #look(): Promise<void> {
    const known = this.all, names = await this.#queue.keysOf(RUNS); // a run may begin while the answer is on its way
    for (const { name } of known) if (!names.includes(name)) this.#end(name);
    for (const name of names.filter((each) => !this.#over.has(each))) {
      const entry = await this.#queue.runs.get(name);
      if (entry?.operation === "PUT") this.#take(name, decode<RunRecord>(entry.value));
      else this.#end(name);
    }
  }

  #take(name: string, record: RunRecord): void {
    if (record.protocol !== PROTOCOL || record.version !== this.#version || this.#over.has(name)) return;
    const known = this.#runs.get(name);
    if (known) known.record = record;
    else this.#runs.set(name, { name, record, end: new AbortController() });
    this.#tell();
  }

  #end(name: string): void {
    this.#runs.get(name)?.end.abort();
    this.#runs.delete(name);
    this.#over.add(name);
    this.#tell();
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
