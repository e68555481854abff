import type { FrameInfo, FromPage, ToPage } from "../../../wsi/web/protocol.ts";

/** A frame that came, with its pixels. */
export interface Arrival extends FrameInfo {
  readonly pixels: Uint8Array;
}

/** A stand-in for the page: takes frames and says that it has, when a test wants that. */
export class PageClient implements AsyncDisposable {
  /** The end of the connection, once it has ended. */
  readonly closed: Promise<CloseEvent>;
  #socket: WebSocket;
  #received: (ToPage | Arrival)[] = [];
  #wake = Promise.withResolvers<void>();
  #coming: FrameInfo | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => this.#receive(data);
    const { promise, resolve } = Promise.withResolvers<CloseEvent>();
    this.closed = promise;
    socket.onclose = resolve;
  }

  /** Connects to a viewer. Rejects when it refuses. */
  static async connect(url: string): Promise<PageClient> {
    const socket = new WebSocket(new URL("live", url).href.replace("http", "ws")), client = new PageClient(socket);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.onopen = () => resolve();
    socket.onerror = (event) => reject(new Error((event as ErrorEvent).message));
    await promise;
    return client;
  }

  /** The next message of a type; others before it are thrown away. */
  async next<Type extends ToPage["type"]>(
    type: Type,
  ): Promise<Type extends "frame" ? Arrival : Extract<ToPage, { type: Type }>> {
    for (;;) {
      for (let message; (message = this.#received.shift());) if (message.type === type) return message as never;
      this.#wake = Promise.withResolvers();
      await this.#wake.promise;
    }
  }

  /** Takes the next frame and says that it is shown. */
  async show(): Promise<Arrival> {
    const frame = await this.next("frame");
    this.ack();
    return frame;
  }

  /** The number of messages that have come and that nobody has asked for. */
  get waiting(): number {
    return this.#received.length;
  }

  /** Says that a frame is shown. */
  ack(): void {
    this.tell({ type: "ack", shown: performance.timeOrigin + performance.now() });
  }

  /** Says something, or nonsense. */
  tell(message: FromPage | string): void {
    this.#socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** Waits until the server has heard everything that was said: it answers acks even for frames that went by. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    await this.closed;
  }

  #receive(data: string | ArrayBuffer): void {
    if (typeof data !== "string") this.#received.push({ ...this.#coming!, pixels: new Uint8Array(data) });
    else {
      const message: ToPage = JSON.parse(data);
      if (message.type === "frame") this.#coming = message;
      else this.#received.push(message);
    }
    this.#wake.resolve();
  }
}
