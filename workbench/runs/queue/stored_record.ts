import type { Queue } from "./connect.ts";
import { leased, RENEWAL } from "./lease.ts";
import { decode, encode, PROTOCOL, type RunRecord } from "./messages.ts";
import { persist } from "./patience.ts";
import { recordBytes, recordSubject, type TaskSigner } from "./seal.ts";
import { QueueTrouble } from "./trouble.ts";

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
