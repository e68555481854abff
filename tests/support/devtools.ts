/** The members of a DevTools command's answer, or of an event. */
type Fields = Record<string, unknown>;

/** A connection to a browser by the DevTools protocol: commands with answers. */
export class DevTools {
  #socket: WebSocket;
  #last = 0;
  #waiting = new Map<number, PromiseWithResolvers<Fields>>();
  #events = new Map<string, (() => void)[]>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    socket.onclose = () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("The browser has gone"));
      this.#waiting.clear();
    };
  }

  /** Connects to a WebSocket address. */
  static async connect(url: string): Promise<DevTools> {
    const socket = new WebSocket(url), open = Promise.withResolvers<void>();
    socket.onopen = () => open.resolve();
    socket.onerror = () => open.reject(new Error(`Cannot connect to ${url}`));
    await open.promise;
    return new DevTools(socket);
  }

  /** Gives a command to the browser, or to a page of it. Throws what the browser says against it. */
  send(method: string, params: Fields = {}, sessionId?: string): Promise<Fields> {
    const id = ++this.#last, answer = Promise.withResolvers<Fields>();
    this.#waiting.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    return answer.promise;
  }

  /** Resolves at the next event of that name of a page. */
  once(method: string, sessionId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>(), key = `${sessionId} ${method}`;
    this.#events.set(key, [...this.#events.get(key) ?? [], resolve]);
    return promise;
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    const closed = Promise.withResolvers<void>();
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    this.#socket.addEventListener("close", () => closed.resolve());
    this.#socket.close();
    await closed.promise;
  }

  #receive(
    message: { id?: number; method?: string; sessionId?: string; result?: Fields; error?: { message: string } },
  ) {
    const key = `${message.sessionId} ${message.method}`;
    if (message.id === undefined) {
      for (const resolve of this.#events.get(key) ?? []) resolve();
      return void this.#events.delete(key);
    }
    const answer = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error) answer?.reject(new Error(message.error.message));
    else answer?.resolve(message.result!);
  }
}
