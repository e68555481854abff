import { natsServerPath } from "../../../../tools/setup/parts.ts";

/** Options of a server's start. */
export interface NatsOptions {
  /** Further words of the command line. */
  readonly words?: readonly string[];
  /** Whether the server has JetStream. Default true. */
  readonly hasJetStream?: boolean;
  /** The text of a configuration file. */
  readonly configuration?: string;
}

/** A server on a free port of loopback, with its store in a temporary folder. */
export class NatsServer implements AsyncDisposable {
  readonly #folder = Deno.makeTempDirSync({ prefix: "nats-" });
  readonly #options: NatsOptions;
  #process: Deno.ChildProcess | undefined;
  #port = -1;
  #monitoring = "";

  private constructor(options: NatsOptions) {
    this.#options = options;
  }

  /** Starts a server. Resolves when the server takes connections. */
  static async start(options: NatsOptions = {}): Promise<NatsServer> {
    const server = new NatsServer(options);
    await server.start();
    return server;
  }

  /** The address. */
  get url(): string {
    return `nats://127.0.0.1:${this.#port}`;
  }

  /** Starts three servers that are one cluster. */
  static async cluster(): Promise<readonly NatsServer[]> {
    const routes = freePorts(3).map((port) => `nats://127.0.0.1:${port}`);
    return await Promise.all(routes.map((route, at) => {
      const words = ["-n", `server${at}`, "--cluster_name", "three", "--cluster", route, "--routes", routes.join(",")];
      return NatsServer.start({ words });
    }));
  }

  /** The number of the process. */
  get pid(): number {
    return this.#process!.pid;
  }

  /** The address where a server with the words `-m -1` tells its counts. */
  get monitoring(): string {
    return this.#monitoring;
  }

  /** The address with something before the host, such as `user:password`. */
  urlOf(user: string): string {
    return `nats://${user}@127.0.0.1:${this.#port}`;
  }

  /** Starts the server, again on the same port and with the same store. */
  async start(): Promise<void> {
    const { words = [], hasJetStream = true, configuration } = this.#options, folder = this.#folder;
    if (configuration !== undefined) Deno.writeTextFileSync(`${folder}/configuration`, configuration);
    this.#process = new Deno.Command(natsServerPath()!, {
      args: [
        ...hasJetStream ? ["-js", "-sd", `${folder}/store`] : [],
        ...configuration === undefined ? [] : ["-c", `${folder}/configuration`],
        ...["-a", "127.0.0.1", "-p", `${this.#port}`, "--ports_file_dir", folder, "-l", `${folder}/log`],
        ...words,
      ],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    await this.#ready();
  }

  /** Ends the server; the store stays. */
  async stop(signal: Deno.Signal = "SIGTERM"): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    process?.kill(signal);
    await process?.status;
  }

  /** Lets the server stand still, with its connections open. */
  freeze(): void {
    this.#process?.kill("SIGSTOP");
  }

  /** Ends the server and removes its store. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("SIGKILL");
    Deno.removeSync(this.#folder, { recursive: true });
  }

  async #ready(): Promise<void> {
    const end = performance.now() + 20_000, file = `${this.#folder}/nats-server_${this.#process!.pid}.ports`;
    while (performance.now() < end) {
      const text = textOf(file), [, port] = /(?:nats|tls):\/\/[^"]*:(\d+)"/.exec(text) ?? [];
      [, this.#monitoring = ""] = /"monitoring":\["([^"]*)"/.exec(text) ?? [];
      if (port !== undefined) return void (this.#port = Number(port));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`Cannot start nats-server: ${textOf(`${this.#folder}/log`)}`);
  }
}

/** Ports that nobody has now. */
function freePorts(count: number): number[] {
  const listeners = Array.from({ length: count }, () => Deno.listen({ hostname: "127.0.0.1", port: 0 }));
  const ports = listeners.map(({ addr }) => (addr as Deno.NetAddr).port);
  for (const each of listeners) each.close();
  return ports;
}

function textOf(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}
