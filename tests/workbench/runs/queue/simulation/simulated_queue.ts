import { Queue } from "../../../../../workbench/runs/queue/connect.ts";
import { objectsBucket, RUNS, TIMES, WORKERS } from "../../../../../workbench/runs/queue/names.ts";
import { TICK } from "./false_clock.ts";
import { Bucket, ServerError, type SimulatedServer, type Subscription } from "./simulated_server.ts";
import { matches, type StoredMessage } from "./stored_stream.ts";

type Objects = Awaited<ReturnType<Queue["objectsOf"]>>;

/** A machine's connection with a simulated server: what {@linkcode Queue} does with the client's parts is its own. */
export class SimulatedQueue extends Queue {
  readonly #server: SimulatedServer;

  constructor(server: SimulatedServer) {
    super({
      connection: connectionWith(server),
      js: jetStreamOf(server),
      manager: managerOf(server),
      runs: bucketOf(server, RUNS, 0),
      workers: bucketOf(server, WORKERS, 30_000),
      times: bucketOf(server, TIMES, 0),
    });
    this.#server = server;
  }

  override objectsOf(run: string): Promise<Objects> {
    return Promise.resolve(objectsOf(this.#server, objectsBucket(run), true)!);
  }

  override objectsThere(run: string): Promise<Objects> {
    const objects = objectsOf(this.#server, objectsBucket(run), false);
    return objects ? Promise.resolve(objects) : Promise.reject(new ServerError("StreamNotFoundError", 10059));
  }
}

function objectsOf(server: SimulatedServer, bucket: string, isMade: boolean): Objects | undefined {
  const name = `OBJ_${bucket}`, objects = server.objects(name, isMade);
  return objects && {
    putBlob: ({ name }: { name: string }, data: Uint8Array) =>
      server.answer(() => server.putObject(objects, name, data)),
    getBlob: (name: string) => server.answer(() => objects.get(name) ?? null),
  } as never;
}

function bucketOf(server: SimulatedServer, name: string, life: number): Queue["runs"] {
  const bucket = server.buckets.get(name) ?? new Bucket(name, life, server);
  server.buckets.set(name, bucket);
  return {
    put: (key: string, value: Uint8Array) => server.answer(() => bucket.put(key, value)),
    get: (key: string) => server.answer(() => bucket.get(key)),
    purge: (key: string) => server.answer(() => bucket.put(key, new Uint8Array(), "PURGE")),
  } as never;
}

function connectionWith(server: SimulatedServer): Queue["connection"] {
  return {
    info: { jetstream: true },
    isClosed: () => false,
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
    subscribe: (subject: string, how: { callback: (error: null, message: unknown) => void }) =>
      subscribe(server, subject, how.callback),
    publish(subject: string, data: Uint8Array | string) {
      server.count(1);
      if (typeof data !== "string") return server.send(subject, data);
      const [, , stream, consumer, , seq] = subject.split(".");
      server.consumer(stream, consumer)?.hear(Number(seq), data);
    },
    request: (subject: string, data: string) =>
      subject.startsWith("$JS.ACK") ? acknowledge(server, subject, data) : pull(server, subject, data),
  } as never;
}

function subscribe(server: SimulatedServer, subject: string, callback: (error: null, message: unknown) => void) {
  const { clock } = server, { machine } = clock;
  const subscription: Subscription = {
    subject,
    take: (subject, data, isPurge) => {
      const headers = { get: () => isPurge ? "PURGE" : "" };
      clock.after(TICK, machine, () => callback(null, { subject, data, headers }));
    },
  };
  return { unsubscribe: server.subscribe(subscription) };
}

function acknowledge(server: SimulatedServer, reply: string, word: string): Promise<unknown> {
  const [, , stream, consumer, , seq] = reply.split(".");
  return server.answer(() => server.consumer(stream, consumer)?.hear(Number(seq), word));
}

/** Asks for a task. The answer comes to the machine that asked, whatever has become of it. */
function pull(server: SimulatedServer, subject: string, wish: string): Promise<unknown> {
  const { clock } = server, { machine } = clock, [stream, name] = subject.split(".").slice(-2);
  const consumer = server.consumer(stream, name), { expires } = JSON.parse(wish) as { expires: number };
  if (!consumer) {
    return server.answer(() => {
      throw new ServerError("NoRespondersError", 503);
    });
  }
  server.count();
  return new Promise((resolve) => {
    const answer = (message: StoredMessage | number, delivery?: number) => {
      const whole = typeof message === "number"
        ? { headers: { code: message }, data: new Uint8Array() }
        : { ...message, reply: `$JS.ACK.${stream}.${name}.${delivery}.${message.seq}.0.0.0` };
      clock.after(TICK, machine, () => resolve(whole));
    };
    consumer.ask({ until: clock.now + expires / 1e6, answer });
  });
}

function jetStreamOf(server: SimulatedServer): Queue["js"] {
  return {
    publish: (subject: string, data: Uint8Array, { msgID }: { msgID?: string }) =>
      server.answer(() => ({ duplicate: server.store(subject, data, msgID) === undefined })),
    consumers: {
      get: (stream: string, { filter_subjects, opt_start_seq }: { filter_subjects: string; opt_start_seq: number }) =>
        server.answer(() => reader(server, stream, filter_subjects, opt_start_seq)),
    },
  } as never;
}

/** Reads a stream in order, as messages come. */
function reader(server: SimulatedServer, name: string, subject: string, start: number) {
  const stream = server.stream(name), { clock } = server, { machine } = clock;
  const consume = () => {
    const come: StoredMessage[] = [];
    let isOver = false, wake = () => {};
    const take = (message: StoredMessage) => {
      if (!matches(subject, message.subject)) return;
      server.count(1);
      clock.after(TICK, machine, () => {
        come.push(message);
        wake();
      });
    };
    for (let next = stream.next(start, subject); next; next = stream.next(next.seq + 1, subject)) take(next);
    stream.followers.add(take);
    async function* messages() {
      for (let at = 0; !isOver;) {
        const message = come[at++];
        if (message) yield message;
        else {
          [at, come.length] = [0, 0];
          await new Promise<void>((resolve) => wake = resolve);
        }
      }
    }
    const close = () => {
      isOver = true;
      stream.followers.delete(take);
      wake();
    };
    return Promise.resolve(Object.assign(messages(), { close }));
  };
  return { consume, delete: () => server.answer(() => true) };
}

function managerOf(server: SimulatedServer): Queue["manager"] {
  const streams = {
    add: ({ name, subjects }: { name: string; subjects: string[] }) =>
      server.answer(() => server.addStream(name, subjects)),
    delete: (name: string) => server.answer(() => server.remove(name)),
    info: (name: string, { subjects_filter }: { subjects_filter: string }) =>
      server.answer(() => ({ state: { subjects: subjectsIn(server, name, subjects_filter) } })),
    getMessage: (name: string, { seq, next_by_subj }: { seq: number; next_by_subj: string }) =>
      server.answer(() => {
        const found = server.stream(name).next(seq, next_by_subj);
        return found ? { ...found, time: new Date(found.at) } : null;
      }),
  };
  const consumers = {
    add: (
      stream: string,
      { durable_name, filter_subject, ack_wait }: { durable_name: string; filter_subject: string; ack_wait: number },
    ) => server.answer(() => server.addConsumer(stream, durable_name, filter_subject, ack_wait / 1e6)),
    info: (stream: string, name: string) =>
      server.answer(() => {
        const consumer = server.consumer(stream, name);
        if (consumer) return consumer.counts;
        throw new ServerError("ConsumerNotFoundError", 10014);
      }),
  };
  return { streams, consumers } as never;
}

function subjectsIn(server: SimulatedServer, name: string, filter: string): Record<string, number> {
  const keys = server.buckets.get(name.slice("KV_".length))?.keys() ?? [];
  const subjects = keys.map((key) => `$KV.${name.slice("KV_".length)}.${key}`);
  return Object.fromEntries(subjects.filter((each) => matches(filter, each)).map((each) => [each, 1]));
}
