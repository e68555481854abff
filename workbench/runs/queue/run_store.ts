import { type ObjectStore, Objm } from "@nats-io/obj";
import type { Queue } from "./connect.ts";
import { objectsBucket } from "./names.ts";
import { persist } from "./patience.ts";
import { WorkHere } from "./worker_options.ts";

/** Data of a run that are too large for a message, by name. They end with the run. */
export class RunStore {
  readonly #queue: Queue;
  readonly #run: string;
  readonly #work: WorkHere;
  #objects: Promise<ObjectStore> | undefined;

  /**
   * The data of a run. The coordinator makes the store: a worker that comes too late makes no new one. `work` is the
   * work inside of which data are read and stored.
   */
  constructor(queue: Queue, run: string, work: WorkHere = new WorkHere()) {
    [this.#queue, this.#run, this.#work] = [queue, run, work];
  }

  /** Makes the store. */
  async make(): Promise<void> {
    this.#objects = this.#queue.objectsOf(this.#run);
    await this.#objects;
  }

  /** Reads data; `null` if there are none of that name. */
  get(name: string): Promise<Uint8Array | null> {
    return this.#work.outside(async () => {
      const objects = await this.#opened();
      return await persist(() => objects.getBlob(name), { what: `reading ${name}` });
    });
  }

  /** Stores data. */
  put(name: string, bytes: Uint8Array): Promise<void> {
    return this.#work.outside(async () => {
      const objects = await this.#opened();
      await persist(() => objects.putBlob({ name }, bytes), { what: `storing ${name}` });
    });
  }

  #opened(): Promise<ObjectStore> {
    return this.#objects ??= this.#open().catch((error) => {
      this.#objects = undefined;
      throw error;
    });
  }

  #open(): Promise<ObjectStore> {
    return persist(() => new Objm(this.#queue.js).open(objectsBucket(this.#run)), { what: "opening a run's store" });
  }
}
