import { WsiError } from "../error.ts";
import type { PageFiles } from "./page.ts";

/** The time that pages have to confirm the end of their connection, in milliseconds. */
export const FAREWELL = 250;

/** The functions of a page's connection that the server needs. */
export interface Connection {
  /** Settled when it is over. */
  readonly closed: Promise<void>;
  /** Ends the connection. */
  close(): void;
}

/** The running server. */
export interface Server {
  /** The address of the page. */
  readonly url: string;
  /** Ends all connections and stops listening. */
  close(): Promise<void>;
}

/** The page that a server serves, and the other end of its connections. Both may be loaded with the first request. */
export interface Served {
  /** Returns the files of the page. */
  files(): Promise<PageFiles>;
  /** Returns the function that takes a page's connection. Without it, the page has no connections. */
  connector?(): Promise<(socket: WebSocket) => Connection>;
  /** Answers a request of the page, by the path below the page's and the query; `undefined` where nothing is. */
  respond?(path: string, query: URLSearchParams): Promise<Response | undefined>;
  /** The first part of each path. Who does not know it gets no answer but a refusal. Default: no key is needed. */
  readonly key?: string;
}

/**
 * Serves the page, and hands the WebSockets of pages to the connector. Throws a
 * {@linkcode WsiError} `cannot-serve` that says what to do when the address cannot be listened on.
 */
export function startServer(hostname: string, port: number, served: Served): Server {
  const { connector, key } = served, base = key === undefined ? "" : `/${key}`;
  const connections = new Set<Connection>(), stop = new AbortController();
  let isClosing = false;
  const handle = async (request: Request): Promise<Response> => {
    if (!isTrusted(request.headers, hostname)) return refuse(403, "This page is for its own address only");
    const url = URL.parse(request.url); // a Host may be an invalid address
    if (!url) return refuse(400, "Not an address");
    if (!isBelow(url.pathname, base)) return refuse(403, "The address lacks the key; open the one that was printed");
    const path = url.pathname.slice(base.length);
    if (path !== "/live" || !connector) {
      return request.method === "GET" ? await answer(served, path, url.searchParams) : refuse(405, "Only GET");
    }
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") return refuse(426, "Only WebSockets");
    const connect = await connector();
    if (isClosing) return refuse(503, "The viewer is closed");
    const { socket, response } = Deno.upgradeWebSocket(request), connection = connect(socket);
    connections.add(connection);
    void connection.closed.then(() => connections.delete(connection));
    return response;
  };
  const server = listen(hostname, port, stop.signal, handle), { port: actual } = server.addr;
  return {
    url: `http://${urlHost(hostname)}:${actual}${base}/`,
    async close() {
      isClosing = true;
      for (const connection of connections) connection.close();
      await within(FAREWELL, Promise.all(Array.from(connections, ({ closed }) => closed)));
      stop.abort(); // also ends connections that do not answer
      await server.finished;
      await Promise.all(Array.from(connections, ({ closed }) => closed));
    },
  };
}

async function answer({ files, respond }: Served, path: string, query: URLSearchParams): Promise<Response> {
  const { servePage } = await import("./page.ts");
  return await respond?.(path, query) ?? servePage(await files(), path);
}

/** Whether a path begins with the key. The time that the comparison takes tells nothing of the key. */
function isBelow(pathname: string, base: string): boolean {
  const start = pathname.slice(0, base.length + 1), wanted = `${base}/`;
  if (start.length !== wanted.length) return false;
  let difference = 0;
  for (let at = 0; at < wanted.length; at++) difference |= start.charCodeAt(at) ^ wanted.charCodeAt(at);
  return difference === 0;
}

/**
 * The host part of the address for a browser on this machine. The addresses that stand for all interfaces are replaced.
 */
function urlHost(hostname: string): string {
  const name = hostname.replace(/[[\]]/g, "");
  if (name === "0.0.0.0") return "127.0.0.1";
  return name === "::" ? "[::1]" : name.includes(":") ? `[${name}]` : name;
}

function refuse(status: number, why: string): Response {
  return new Response(`${why}\n`, { status });
}

function listen(hostname: string, port: number, signal: AbortSignal, handle: Deno.ServeHandler) {
  try {
    return Deno.serve({ hostname: hostname.replace(/[[\]]/g, ""), port, signal, onListen() {} }, handle);
  } catch (cause) {
    const place = `${hostname}:${port}`;
    const why = cause instanceof Deno.errors.AddrInUse
      ? "something else listens there; give another port, or 0 for any"
      : cause instanceof Deno.errors.NotCapable
      ? `give --allow-net=${hostname}`
      : `${cause}`;
    throw new WsiError("cannot-serve", `Cannot serve the viewer at ${place}: ${why}`, { cause });
  }
}

/** Whether a name or address means this machine and nothing else. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname === "::1" || /^127(\.\d+){3}$/.test(hostname);
}

/**
 * Whether a request comes from a page of this server, or from a program. The `Origin` reveals a page of a foreign site;
 * the `Host` reveals a page whose name was made to point here (DNS rebinding). A server on a loopback address answers
 * only loopback names. Other servers answer addresses, `localhost`, and the name that they were given.
 */
export function isTrusted(headers: Headers, hostname: string): boolean {
  const host = headers.get("host"), origin = headers.get("origin");
  if (host === null || !isOwnName(nameOf(host), hostname)) return false;
  return origin === null || origin === `http://${host}`;
}

function nameOf(host: string): string {
  return host.replace(/:\d*$/, "").toLowerCase();
}

function isOwnName(name: string, hostname: string): boolean {
  if (isLoopback(name)) return true;
  return !isLoopback(hostname) && (name === hostname.toLowerCase() || isAddress(name));
}

function isAddress(name: string): boolean {
  return /^\d+(\.\d+){3}$/.test(name) || /^\[[\da-f:.]+\]$/.test(name);
}

/** Waits for a promise, at most a number of milliseconds. */
export async function within(milliseconds: number, wanted: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, milliseconds));
  await Promise.race([wanted, late]).finally(() => clearTimeout(timer));
}
