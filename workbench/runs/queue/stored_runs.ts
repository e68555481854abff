import type { Msg } from "@nats-io/transport-node";
import type { Queue } from "./connect.ts";
import { decode, encode, PROTOCOL, type RunRecord } from "./messages.ts";
import { RUNS } from "./names.ts";
import { delay, persist } from "./patience.ts";
import { leased, recordBytes, recordSubject, RENEWAL, type TaskSigner } from "./signing.ts";
import { QueueTrouble } from "./trouble.ts";

/**
 * Milliseconds between two looks through the bucket, and the most after looks that found nothing: of a thousand workers
 * the looks would otherwise be nearly all messages.
 */
const LOOK = 5000, RARE = 60_000;

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
    for (let wait = LOOK; !this.#stop.signal.aborted;) {
      const hasMissed = await this.#look().catch(() => true); // the server is away; the next look comes soon
      wait = hasMissed ? LOOK : Math.min(2 * wait, RARE);
      await delay(wait, this.#stop.signal);
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

  /** Takes the record of a run, and passes over everything else. */
  #heed(name: string, data: Uint8Array): void {
    try {
      this.#take(name, decode<RunRecord>(data));
    } catch {
      // another program wrote to the bucket
    }
  }

  /** An error thrown here would end the process. */
  #hear({ subject, headers, data }: Msg): void {
    const name = subject.slice(subject.lastIndexOf(".") + 1);
    if (headers?.get("KV-Operation")) this.#end(name);
    else this.#heed(name, data);
  }

  /** Looks through the bucket. Returns whether changes were missed. */
  async #look(): Promise<boolean> {
    const known = this.all, names = await this.#queue.keysOf(RUNS); // a run may begin while the answer is on its way
    for (const { name } of known) if (!names.includes(name)) this.#end(name);
    for (const name of names.filter((each) => !this.#over.has(each))) {
      const entry = await this.#queue.runs.get(name);
      if (entry?.operation !== "PUT") this.#end(name);
      else this.#heed(name, entry.value);
    }
    const now = this.all;
    return known.length !== now.length || known.some((each, at) => each !== now[at]);
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

/** The record of a run in the queue, as the machine that began or joined the run keeps it. */
export class RecordThere {
  readonly #queue: Queue;
  readonly #name: string;
  readonly #seal: TaskSigner | undefined;
  readonly #over = new AbortController();
  #record: RunRecord;
  #stored: Promise<void> = Promise.resolve();

  /** The record of a run, which {@linkcode put} stores. */
  constructor(queue: Queue, name: string, record: RunRecord, seal: TaskSigner | undefined) {
    [this.#queue, this.#name, this.#record, this.#seal] = [queue, name, record, seal];
  }

  /** Reads the record of a run that goes on. Throws {@linkcode QueueTrouble} for a run that cannot be joined. */
  static async read(queue: Queue, name: string, version: string, seal: TaskSigner | undefined): Promise<RecordThere> {
    const isName = /^[a-z0-9]+$/.test(name);
    const entry = isName ? await persist(() => queue.runs.get(name), { what: "reading about a run" }) : null;
    if (entry?.operation !== "PUT") {
      throw new QueueTrouble(2, `--join: there is no run "${name}" in the queue: it has ended, or the name is another`);
    }
    const record = decode<RunRecord>(entry.value);
    if (record.protocol !== PROTOCOL || record.version !== version) {
      const both = `the run is of Pumice ${record.version}, and this is ${version}`;
      throw new QueueTrouble(1, `--join: ${both}: use the same version`);
    }
    await requireOwn(name, record, seal);
    return new RecordThere(queue, name, record, seal);
  }

  /** The record. */
  get record(): RunRecord {
    return this.#record;
  }

  /** Stores the record with a change, signed, with a lease from now on. Records are stored one after the other. */
  put(change: Partial<RunRecord> = {}, isLeft = false): Promise<void> {
    return this.#stored = this.#stored.catch(() => {}).then(async () => {
      const { signal } = this.#over, what = "the record of a run";
      this.#record = await this.#sealed({ ...this.#record, ...change }, isLeft);
      if (signal.aborted) return;
      await persist(() => this.#queue.runs.put(this.#name, encode(this.#record)), { what, signal });
    });
  }

  /** Renews the lease of a signed run until the end of the returned scope. */
  keepLease(): Disposable {
    const renew = () => void this.put().catch(() => {}), timer = this.#seal && setInterval(renew, RENEWAL);
    if (timer !== undefined) renew();
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  /** Removes the record. A record that is stored later would be that of a new run. */
  async remove(): Promise<void> {
    this.#over.abort();
    await this.#stored.catch(() => {});
    await persist(() => this.#queue.runs.purge(this.#name), { what: "removing a run", limit: 10_000 });
  }

  async #sealed(record: RunRecord, isLeft: boolean): Promise<RunRecord> {
    if (!this.#seal) return record;
    const renewed = leased(record, isLeft, Date.now());
    return { ...renewed, signature: await this.#seal.sign(recordSubject(this.#name), recordBytes(renewed)) };
  }
}

/** Signs a run that is joined anew. Refuses a run that others have changed, or that has another key. */
async function requireOwn(name: string, record: RunRecord, seal: TaskSigner | undefined): Promise<void> {
  const { signature = "" } = record;
  if (!seal && signature === "") return;
  if (!seal) throw new QueueTrouble(2, `--join: the run ${name} is signed: give its private key with --key=FILE`);
  if (await seal.isGood(recordSubject(name), recordBytes(record), signature)) return;
  const why = "is not signed by --key: the key is another one, or the record was changed in the queue";
  throw new QueueTrouble(2, `--join: the run ${name} ${why}; give the key of the run, or run it anew`);
}
