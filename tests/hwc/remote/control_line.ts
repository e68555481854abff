/**
 * The way of orders from a test to the simulated device in another process: calls of
 * functions by name, over a socket of its own, answered while this thread waits.
 *
 * @module
 */
import { pollDescriptor } from "../../../ffi/file/file_descriptor.ts";
import { acceptFrom } from "../../../ffi/file/unix_socket.ts";
import { Channel, type Message } from "../../../hwc/remote/wire/channel.ts";
import { connectTo } from "../../../hwc/remote/client/connection.ts";
import { listenAt } from "../../../hwc/remote/server/server_socket.ts";
import { fenceWorker } from "../../../wsi/fence/fence_worker.ts";

const PATIENCE = 60_000, CALL = 100, RESULT = 101, FAILURE = 102;

/** The functions that can be called. */
// deno-lint-ignore no-explicit-any
export type Orders = Readonly<Record<string, (...args: any[]) => unknown>>;

/** The test's end. */
export class ControlLine {
  readonly #channel: Channel;

  /** Takes a connection over. */
  constructor(channel: Channel) {
    this.#channel = channel;
  }

  /** Has a program started that connects to the path it is given, and waits until it has. */
  static start(path: string, start: (path: string) => void): ControlLine {
    const socket = listenAt(path);
    try {
      start(path);
      if (!pollDescriptor(socket.fd, PATIENCE)) throw new Error("the program did not start");
      return new ControlLine(new Channel(acceptFrom(socket.fd)));
    } finally {
      socket.close();
    }
  }

  /** Calls a function there; what it returns. Throws what it throws. */
  call(name: string, ...args: unknown[]): unknown {
    const channel = this.#channel;
    channel.post(CALL, packed({ name, args }));
    channel.flush();
    const answer = this.#answer(name), value = unpacked(answer.bytes);
    if (answer.kind === FAILURE) throw new Error(`${name}() failed there: ${value}`);
    return value;
  }

  /** Ends it, and with it the program. */
  close(): void {
    this.#channel.close();
  }

  #answer(name: string): Message {
    const channel = this.#channel;
    while (!channel.isGone && channel.wait("receive", PATIENCE)) {
      channel.receive();
      const message = channel.next();
      if (message) return message;
    }
    throw new Error(`the program did not answer ${name}()`);
  }
}

/** The program's end: does what it is told, until nobody is there to tell. */
export async function obey(path: string, orders: Orders): Promise<void> {
  const channel = connectTo(path, PATIENCE);
  while (!channel.isGone) {
    channel.receive();
    for (let message = channel.next(); message; message = channel.next()) {
      const { name, args } = unpacked(message.bytes) as { name: string; args: unknown[] };
      const [kind, value] = await Promise.resolve().then(() => orders[name](...args)).then(
        (result): [number, unknown] => [RESULT, result],
        (error): [number, unknown] => [FAILURE, `${error?.stack ?? error}`],
      );
      channel.post(kind, packed(value));
      channel.flush();
    }
    if (!channel.isGone) await fenceWorker().whenReadable(channel.fd);
  }
  channel.close();
}

/** A value as bytes: JSON, and what JSON lacks by names of its own. */
function packed(value: unknown): Uint8Array {
  const text = JSON.stringify([value], (_, each) => {
    if (typeof each === "bigint") return { bigint: String(each) };
    if (each instanceof Map) return { map: [...each] };
    return each instanceof Uint32Array ? { words: [...each] } : each;
  });
  return new TextEncoder().encode(text);
}

function unpacked(bytes: Uint8Array): unknown {
  const [value] = JSON.parse(new TextDecoder().decode(bytes), (_, each) => {
    if (typeof each?.bigint === "string") return BigInt(each.bigint);
    if (Array.isArray(each?.map)) return new Map(each.map);
    return Array.isArray(each?.words) ? Uint32Array.from(each.words) : each;
  });
  return value;
}
