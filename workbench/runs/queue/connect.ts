import { jetstream, type JetStreamClient, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import { type ObjectStore, Objm } from "@nats-io/obj";
import { connect, type ConnectionOptions, credsAuthenticator, type NatsConnection } from "@nats-io/transport-node";
import { reasonOf } from "../../process/exit_code.ts";
import { connectionTrouble, QueueTrouble, shown, troubleOf } from "./trouble.ts";
import { objectsBucket, RUNS, TIMES, WORKERS } from "./names.ts";
import { atMost, delay, persist } from "./patience.ts";

/** The address of a queue, with the credentials of the user. */
export interface QueueAddress {
  /** Such as `nats://host:4222`, `nats://user:password@host`, or `tls://host`. */
  readonly url: string;
  /** The file of a user's credentials. */
  readonly credentials?: string;
  /** The file with the certificate of the authority that signed the server's. */
  readonly authority?: string;
}

const SECOND = 1000, DAY = 24 * 3600 * SECOND;
/** The time after its last sign of life for which a worker counts as being there, in milliseconds. */
const WORKER_LIFE = 30 * SECOND;
/** The time for which the queue keeps a run that nobody ends, in milliseconds. */
export const RUN_LIFE = 7 * DAY;
/** Milliseconds for the answer to a request. */
const ANSWER = 5 * SECOND;
/** The time in which the server may still reset a refused connection, in milliseconds. */
const RESETS = 100;
/** The number of servers of a cluster that keep the same data: the least number of which a majority survives a loss. */
const REPLICAS = 3;
const WHAT = "the queue's buckets";

/** A connection with the queue's server. */
export class Queue {
  /** The connection. */
  readonly connection: NatsConnection;
  /** Streams as their users see them. */
  readonly js: JetStreamClient;
  /** Streams as their owners see them. */
  readonly manager: JetStreamManager;
  /** Runs that go on. */
  readonly runs: KV;
  /** The workers that gave a sign of life. */
  readonly workers: KV;
  /** Times that were measured. */
  readonly times: KV;
  readonly #left = new AbortController();

  /** Takes what {@linkcode open} opens. */
  protected constructor(parts: Pick<Queue, "connection" | "js" | "manager" | "runs" | "workers" | "times">) {
    ({
      connection: this.connection,
      js: this.js,
      manager: this.manager,
      runs: this.runs,
      workers: this.workers,
      times: this.times,
    } = parts);
  }

  /** Connects. Throws {@linkcode QueueTrouble} if there is no server, no access, or no JetStream. */
  static async open(address: QueueAddress): Promise<Queue> {
    const connection = await connected(address);
    try {
      const js = jetstream(connection, { timeout: ANSWER });
      const manager = await managed(connection, address), kvm = new Kvm(js);
      const bucket = (name: string, ttl: number) =>
        persist(() => kvm.create(name, { ttl, history: 1, replicas: replicasFor(connection) }), {
          what: WHAT,
          limit: ANSWER,
        });
      const [runs, workers, times] = [
        await bucket(RUNS, RUN_LIFE),
        await bucket(WORKERS, WORKER_LIFE),
        await bucket(TIMES, 0),
      ];
      return new Queue({ connection, js, manager, runs, workers, times });
    } catch (error) {
      await connection.close();
      throw troubleOf(error, WHAT);
    }
  }

  /** Opens the store for data of a run that are too large for a message, and makes the store if there is none. */
  objectsOf(run: string): Promise<ObjectStore> {
    const options = { ttl: RUN_LIFE * 1e6, replicas: this.replicas };
    return persist(() => new Objm(this.js).create(objectsBucket(run), options), { what: "a run's store of objects" });
  }

  /** Opens the store for data of a run. Throws {@linkcode QueueTrouble} if there is none: the run is over. */
  objectsThere(run: string): Promise<ObjectStore> {
    return persist(() => new Objm(this.js).open(objectsBucket(run)), { what: "opening a run's store" });
  }

  /**
   * Lists the keys of a bucket, those of removed values included. Unlike the client's own list, this leaves no
   * consumer.
   */
  async keysOf(bucket: string, filter = ">"): Promise<string[]> {
    const prefix = `$KV.${bucket}.`,
      info = await this.manager.streams.info(`KV_${bucket}`, { subjects_filter: prefix + filter });
    return Object.keys(info.state.subjects ?? {}).map((subject) => subject.slice(prefix.length));
  }

  /** Aborted by {@linkcode leave}. */
  get left(): AbortSignal {
    return this.#left.signal;
  }

  /** Returns how many servers keep the data of a run: three in a cluster, of which one may then be lost. */
  get replicas(): number {
    return replicasFor(this.connection);
  }

  /** The most bytes of one message. */
  get largest(): number {
    return this.connection.info?.max_payload ?? 1 << 20;
  }

  /** Ends the connection with a server that does not answer: requests that wait for the server fail. */
  async leave(): Promise<void> {
    this.#left.abort();
    await this.connection.close();
  }

  /** Ends the connection. Messages that were sent before arrive, if the server is there. */
  async close(): Promise<void> {
    if (this.connection.isClosed()) return;
    await atMost(SECOND, this.connection.flush().catch(() => {}));
    await this.connection.close();
  }
}

function replicasFor({ info }: NatsConnection): number {
  const servers = info?.cluster === undefined ? [] : info.connect_urls ?? [];
  return servers.length >= REPLICAS ? REPLICAS : 1;
}

async function connected(address: QueueAddress): Promise<NatsConnection> {
  const options = connectionOptions(address);
  globalThis.addEventListener("error", leaveReset);
  try {
    return await connect(options);
  } catch (error) {
    await delay(RESETS); // nobody listens to the socket any more, and the server may yet reset it
    throw connectionTrouble(error, address);
  } finally {
    globalThis.removeEventListener("error", leaveReset);
  }
}

/** A connection that was refused says so again, to nobody, when the server resets it. */
function leaveReset(event: ErrorEvent): void {
  if ((event.error as { code?: string } | null)?.code === "ECONNRESET") event.preventDefault();
}

function connectionOptions({ url, credentials, authority }: QueueAddress): ConnectionOptions {
  const { user, pass, protocol, host } = parse(url);
  return {
    servers: host,
    name: "pumice",
    timeout: ANSWER,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    pingInterval: 10 * SECOND,
    maxPingOut: 3,
    ignoreClusterUpdates: false,
    noAsyncTraces: true, // a stack for each request is much garbage, and nobody reads one
    ...pass !== "" ? { user, pass } : {},
    ...pass === "" && user !== "" ? { token: user } : {},
    ...credentials === undefined ? {} : { authenticator: credsAuthenticator(credentialsIn(credentials)) },
    ...protocol === "tls:" || authority !== undefined
      ? { tls: authority === undefined ? {} : { ca: certificateOf(authority) } }
      : {},
  };
}

function parse(url: string) {
  try {
    const { protocol, host, hostname, username, password, pathname, search, hash } = new URL(url);
    const isWhole = /^\/?$/.test(pathname) && search === "" && hash === "";
    if (["nats:", "tls:"].includes(protocol) && hostname !== "" && isWhole) {
      return { protocol, host, user: decodeURIComponent(username), pass: decodeURIComponent(password) };
    }
  } catch {
    // said below
  }
  throw new QueueTrouble(
    2,
    `--queue: "${shown(url)}" is no address of a queue; give such as nats://host:4222 or tls://host:4222, ` +
      "and a user as USER:PASSWORD@ before the host, with %25 for a %",
  );
}

function credentialsIn(path: string): Uint8Array {
  const bytes = bytesOf("--credentials", path);
  if (new TextDecoder().decode(bytes).includes("-----BEGIN NATS USER JWT-----")) return bytes;
  throw new QueueTrouble(2, `--credentials: "${path}" has no credentials of a NATS user; give a file that nsc wrote`);
}

function certificateOf(path: string): string {
  const text = new TextDecoder().decode(bytesOf("--authority", path));
  if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
  throw new QueueTrouble(2, `--authority: "${path}" has no certificate in PEM; give the authority's, not its key`);
}

function bytesOf(option: string, path: string): Uint8Array {
  try {
    return Deno.readFileSync(path);
  } catch (error) {
    throw new QueueTrouble(2, `${option}: "${path}" ${reasonOf(error)}`, { cause: error });
  }
}

async function managed(connection: NatsConnection, { url }: QueueAddress): Promise<JetStreamManager> {
  const without = (error?: unknown) =>
    new QueueTrouble(
      1,
      `The server at ${
        shown(url)
      } has no JetStream: start it with \`nats-server -js\`, or enable jetstream for this account`,
      { cause: error },
    );
  if (!connection.info?.jetstream) throw without();
  try {
    return await jetstreamManager(connection, { timeout: ANSWER });
  } catch (error) {
    throw without(error);
  }
}
