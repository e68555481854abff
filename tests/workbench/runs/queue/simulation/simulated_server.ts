import { RUNS } from "../../../../../workbench/runs/queue/names.ts";
import { type FalseClock, TICK } from "./false_clock.ts";
import { Counts, matches, sizeOf, type StoredMessage, StoredStream } from "./stored_stream.ts";
import { WorkConsumer } from "./work_consumer.ts";

/** Bytes of one message of a store for large data. */
const CHUNK = 131_072;

/** A value of a bucket. */
interface Entry {
  readonly operation: "PUT" | "PURGE";
  readonly value: Uint8Array;
  readonly at: number;
}

/** A subscription of a connection. */
export interface Subscription {
  readonly subject: string;
  readonly take: (subject: string, data: Uint8Array, isPurge: boolean) => void;
}

/** An error by the name that the client of the server gives. */
export class ServerError extends Error {
  constructor(override readonly name: string, readonly code: number) {
    super(`${name} ${code}`);
  }
}

/** A bucket of keys and values, of which each lives for a time. */
export class Bucket {
  readonly #entries = new Map<string, Entry>();

  constructor(readonly name: string, readonly life: number, readonly server: SimulatedServer) {}

  put(key: string, value: Uint8Array, operation: Entry["operation"] = "PUT"): void {
    this.#remove(key);
    this.#entries.set(key, { operation, value, at: this.server.clock.now });
    this.server.counts.keep(sizeOf({ subject: `$KV.${this.name}.${key}`, data: value }));
    if (this.name === RUNS) this.server.send(`$KV.${this.name}.${key}`, value, operation === "PURGE"); // others have no listeners
  }

  get(key: string): Entry | null {
    const entry = this.#entries.get(key);
    if (entry && this.#isOld(entry)) this.#remove(key);
    return this.#entries.get(key) ?? null;
  }

  keys(): string[] {
    for (const [key, entry] of this.#entries) if (this.#isOld(entry)) this.#remove(key);
    return [...this.#entries.keys()];
  }

  #isOld({ at }: Entry): boolean {
    return this.life > 0 && this.server.clock.now - at > this.life;
  }

  #remove(key: string): void {
    const old = this.#entries.get(key);
    if (!old) return;
    this.#entries.delete(key);
    this.server.counts.keep(-sizeOf({ subject: `$KV.${this.name}.${key}`, data: old.value }));
  }
}

/** The part of a queue's server that workers and runs use, in memory, on a false clock. */
export class SimulatedServer {
  readonly counts: Counts = new Counts();
  readonly streams: Map<string, StoredStream> = new Map();
  readonly buckets: Map<string, Bucket> = new Map();
  /** The subscriptions by what they listen to: a thousand machines listen to the same few subjects. */
  readonly #subscriptions = new Map<string, Set<Subscription>>();
  readonly #subjects = new Map<string, string>();
  readonly #consumers = new Map<string, WorkConsumer>();
  readonly #objects = new Map<string, Map<string, Uint8Array>>();

  constructor(readonly clock: FalseClock) {}

  /** A request and its answer. */
  count(messages = 2): void {
    this.counts.messages += messages;
  }

  /** Adds one who listens. Returns a function that removes that one. */
  subscribe(subscription: Subscription): () => void {
    const { subject } = subscription, others = this.#subscriptions.get(subject) ?? new Set();
    this.#subscriptions.set(subject, others.add(subscription));
    return () => {
      others.delete(subscription);
      if (others.size === 0 && this.#subscriptions.get(subject) === others) this.#subscriptions.delete(subject);
    };
  }

  /** Sends a message to those who listen. */
  send(subject: string, data: Uint8Array, isPurge = false): void {
    for (const [pattern, listening] of this.#subscriptions) {
      if (!matches(pattern, subject)) continue;
      this.count(listening.size);
      for (const each of listening) each.take(subject, data, isPurge);
    }
  }

  /** Makes a stream of subjects that begin alike. */
  addStream(name: string, [subject]: readonly string[]): void {
    this.streams.set(name, new StoredStream(this.counts));
    this.#subjects.set(beginning(subject), name);
  }

  /** Stores a message on the stream of its subject. */
  store(subject: string, data: Uint8Array, identity?: string): StoredMessage | undefined {
    const stream = this.streams.get(this.#subjects.get(beginning(subject)) ?? "");
    if (!stream) throw new ServerError("NoRespondersError", 503);
    return stream.add(subject, data, Date.now(), identity);
  }

  addConsumer(stream: string, name: string, subject: string, patience: number): void {
    const there = this.stream(stream), takes = (message: StoredMessage) => matches(subject, message.subject);
    this.#consumers.set(`${stream}.${name}`, new WorkConsumer(there, this.clock, takes, patience));
  }

  /** A stream. Throws the client's error if there is none. */
  stream(name: string): StoredStream {
    const stream = this.streams.get(name);
    if (!stream) throw new ServerError("StreamNotFoundError", 10059);
    return stream;
  }

  consumer(stream: string, name: string): WorkConsumer | undefined {
    return this.#consumers.get(`${stream}.${name}`);
  }

  /** Ends a stream with its consumers, or a store for large data. */
  remove(name: string): void {
    this.streams.get(name)?.clear();
    this.streams.delete(name);
    for (const [subject, stream] of this.#subjects) if (stream === name) this.#subjects.delete(subject);
    for (const [key, consumer] of this.#consumers) {
      if (!key.startsWith(`${name}.`)) continue;
      consumer.end();
      this.#consumers.delete(key);
    }
    for (const data of this.#objects.get(name)?.values() ?? []) this.counts.keep(-data.length);
    this.#objects.delete(name);
  }

  /** The store for large data of a name; made, if that is asked for. */
  objects(name: string, isMade: boolean): Map<string, Uint8Array> | undefined {
    if (isMade && !this.#objects.has(name)) this.#objects.set(name, new Map());
    return this.#objects.get(name);
  }

  /** Keeps large data. */
  putObject(objects: Map<string, Uint8Array>, name: string, data: Uint8Array): void {
    this.count(2 + 2 * Math.ceil(data.length / CHUNK));
    this.counts.keep(data.length - (objects.get(name)?.length ?? 0));
    objects.set(name, data);
  }

  /** Resolves with a value when its message has arrived; rejects with an error of the server. */
  answer<Value>(give: () => Value, milliseconds = TICK): Promise<Value> {
    const { machine } = this.clock;
    this.count();
    return new Promise((resolve, reject) => {
      try {
        const value = give();
        this.clock.after(milliseconds, machine, () => resolve(value));
      } catch (error) {
        this.clock.after(milliseconds, machine, () => reject(error));
      }
    });
  }
}

/** `pumice.task.RUN` of a subject: what the streams are told apart by. */
function beginning(subject: string): string {
  return subject.split(".", 3).join(".");
}
