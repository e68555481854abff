import type { ObjectStore } from "@nats-io/obj";
import type { RunTask } from "../deqp/run_tasks.ts";
import type { DeqpCase } from "../deqp/status.ts";
import type { Queue } from "./connect.ts";
import { decode, encode, type RunRecord } from "./messages.ts";
import { TIMES } from "./names.ts";
import { persist } from "./patience.ts";
import { WorkHere } from "./worker_options.ts";
import { requirementsText } from "./workers.ts";

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
    return this.#objects ??= this.#queue.objectsThere(this.#run).catch((error) => {
      this.#objects = undefined;
      throw error;
    });
  }
}

/** The number of values in which the times of a class are kept, since a value is one message. */
const PARTS = 64;
/** The seconds, and the multiple of its group's time, beyond which a task's time is kept by itself. */
const SLOW = 0.05, TIMES_SLOWER = 4;
/** The weight of a new measurement beside the earlier ones. */
const NEW = 0.5;
/** The most times in a value. */
const MOST = 5000;

type Table = Record<string, number>;

/** The times that tasks took before, by class of requirements: one for each group of tasks, and those of slow tasks. */
export class TimesThere {
  readonly #queue: Queue;
  readonly #kind: string;
  readonly #classes: readonly string[];
  readonly #tables: ReadonlyMap<string, Table>;

  private constructor(queue: Queue, kind: string, classes: readonly string[], tables: ReadonlyMap<string, Table>) {
    [this.#queue, this.#kind, this.#classes, this.#tables] = [queue, kind, classes, tables];
  }

  /** Reads the times for the classes of a run. A time that cannot be read is unknown. */
  static async read(queue: Queue, { kind, groups }: Pick<RunRecord, "kind" | "groups">): Promise<TimesThere> {
    const classes = groups.map((each) => hash(requirementsText(each)).toString(36)), tables = new Map<string, Table>();
    for (const name of new Set(classes)) {
      const keys = await queue.keysOf(TIMES, `${kind}.${name}.*`).catch(() => []);
      for (const key of keys) {
        const entry = await queue.times.get(key).catch(() => null);
        if (entry?.operation === "PUT") tables.set(key, decode<Table>(entry.value));
      }
    }
    return new TimesThere(queue, kind, classes, tables);
  }

  /**
   * Returns the seconds that a task of a class took before; `undefined` if neither the task nor one of its group was
   * measured.
   */
  secondsOf(group: number, key: string): number | undefined {
    const parent = parentOf(key), table = this.#tables.get(this.#keyOf(group, parent));
    return table?.[key] ?? table?.[parent];
  }

  /** Keeps the measurements. A refusal of the server is ignored: only the next run's shares are worse. */
  async write<Work>(
    results: readonly DeqpCase[],
    groupOf: (task: RunTask<Work>) => number,
    tasks: readonly RunTask<Work>[],
  ): Promise<void> {
    const measured = new Map<string, Map<string, number>>();
    for (const [at, { name, seconds, status }] of results.entries()) {
      if (seconds === undefined || status === "Skip" || status === "Missing") continue;
      const key = `${this.#keyOf(groupOf(tasks[at]), parentOf(name))}`, all = measured.get(key) ?? new Map();
      measured.set(key, all.set(name, seconds));
    }
    for (const [key, seconds] of measured) {
      const table = merged(this.#tables.get(key) ?? {}, tableOf(seconds));
      await persist(() => this.#queue.times.put(key, encode(table)), { what: "measured times", limit: 2000 }).catch(
        () => {},
      );
    }
  }

  #keyOf(group: number, parent: string): string {
    return `${this.#kind}.${this.#classes[group]}.${hash(parent) % PARTS}`;
  }
}

/** Returns the time of each group, and the times of tasks that take much longer. */
function tableOf(seconds: ReadonlyMap<string, number>): Table {
  const table: Table = {}, groups = Map.groupBy(seconds, ([key]) => parentOf(key));
  for (const [parent, all] of groups) {
    const sorted = all.map(([, each]) => each).sort((one, other) => one - other), middle = sorted[sorted.length >> 1];
    const isSlow = ([, each]: readonly [string, number]) => each > SLOW && each > TIMES_SLOWER * middle;
    const usual = all.filter((each) => !isSlow(each)).map(([, each]) => each);
    table[parent] = rounded(usual.reduce((sum, each) => sum + each, 0) / usual.length);
    for (const each of all.filter(isSlow)) table[each[0]] = rounded(each[1]);
  }
  return table;
}

function merged(before: Table, now: Table): Table {
  const entries = Object.entries(now).map(([key, seconds]) => {
    return [key, key in before ? rounded(NEW * seconds + (1 - NEW) * before[key]) : seconds] as const;
  });
  return Object.fromEntries([...Object.entries({ ...before, ...Object.fromEntries(entries) })].slice(-MOST));
}

function parentOf(key: string): string {
  const end = Math.max(key.lastIndexOf("."), key.lastIndexOf(" / "));
  return end < 0 ? "" : key.slice(0, end);
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1e5) / 1e5;
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value;
}
