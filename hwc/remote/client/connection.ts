import { closeDescriptor, errorName, lastError } from "../../../ffi/file/file_descriptor.ts";
import { connectSocket, createSocket } from "../../../ffi/file/unix_socket.ts";
import { HwcError } from "../../hwc_error.ts";
import { ERROR } from "../../types.ts";
import { Channel, type Message } from "../wire/channel.ts";
import { TEXT } from "../wire/codec.ts";
import { Reader } from "../wire/reader.ts";
import { checkPath } from "../server/server_socket.ts";
import { BadMessage, KIND } from "../wire/wire.ts";
import type { Writer } from "../wire/writer.ts";

const EAGAIN = 11;
const NEVER = new Int32Array(new SharedArrayBuffer(4));

/** Connects to a server's path. Throws an {@linkcode HwcError}. */
export function connectTo(path: string, timeout: number): Channel {
  checkPath("connectComposer", path);
  const fd = createSocket(), end = performance.now() + timeout;
  while (fd < 0 || !connectSocket(fd, path)) {
    const errno = lastError();
    // The server's queue is full of clients that wait to be accepted.
    if (fd >= 0 && errno === EAGAIN && performance.now() < end) Atomics.wait(NEVER, 0, 0, 5);
    else {
      closeDescriptor(fd);
      const sentence = `no composer is served at ${path}: ${errorName(errno)}; call serveComposer() there first`;
      throw new HwcError("connectComposer", ERROR.NO_RESOURCES, sentence);
    }
  }
  return new Channel(fd);
}

/** A client's connection: asks, and waits on this thread for the answer. */
export class Connection {
  readonly #channel: Channel;
  readonly #timeout: number;
  readonly #heard: (event: Message) => void;
  readonly #lost: (reason: string) => void;
  #reason: string | undefined;

  /** `heard` gets callbacks as they come, `lost` is called once when the server is gone. */
  constructor(channel: Channel, timeout: number, heard: (event: Message) => void, lost: (reason: string) => void) {
    this.#channel = channel;
    this.#timeout = timeout;
    this.#heard = heard;
    this.#lost = lost;
  }

  /** The socket. */
  get fd(): number {
    return this.#channel.fd;
  }

  /** Whether the server can still be asked. */
  get isOpen(): boolean {
    return this.#reason === undefined;
  }

  /** Sends a message and gives what `read` makes of the answer. Throws an {@linkcode HwcError} when there is none, and ends the connection. */
  ask<Value>(command: string, kind: number, writer: Writer, read: (kind: number, from: Reader) => Value): Value {
    if (!this.isOpen) writer.cut(0, 0);
    this.check(command);
    const end = performance.now() + this.#timeout;
    this.#channel.post(kind, writer.bytes, writer.fds.splice(0));
    try {
      this.#send(end);
      return this.#read(this.#answer(end), read);
    } catch (error) {
      if (!(error instanceof BadMessage)) throw error;
      this.end(error.message);
      throw this.#failure(command);
    }
  }

  /** Takes in callbacks that have come, without waiting. */
  hear(): void {
    if (!this.isOpen) return;
    try {
      this.#channel.receive();
      const message = this.#next();
      if (message) throw new BadMessage(`the server sent message ${message.kind}, which nobody asked for`);
      if (this.#channel.isGone) throw new BadMessage(GONE);
    } catch (error) {
      if (!(error instanceof BadMessage)) throw error;
      this.end(error.message);
    }
  }

  /** Throws if the server cannot be asked. */
  check(command: string): void {
    if (this.#reason !== undefined) throw this.#failure(command);
  }

  /** Ends the connection for a reason. A second call does nothing. */
  end(reason: string): void {
    if (!this.isOpen) return;
    this.#reason = reason;
    this.#channel.close();
    this.#lost(reason);
  }

  /** A server that is gone may have said why: its last messages are read all the same. */
  #send(end: number): void {
    while (!this.#channel.flush()) {
      if (!this.#channel.wait("send", left(end))) throw new BadMessage(this.#late);
    }
  }

  #answer(end: number): Message {
    while (true) {
      const message = this.#next();
      if (message) return message;
      if (this.#channel.isGone) throw new BadMessage(GONE);
      if (!this.#channel.wait("receive", left(end))) throw new BadMessage(this.#late);
      this.#channel.receive();
    }
  }

  /** Returns the next message that is not a callback. */
  #next(): Message | undefined {
    for (let message = this.#channel.next(); message; message = this.#channel.next()) {
      if (message.kind !== KIND.EVENT) return message;
      this.#heard(message);
    }
    return undefined;
  }

  #read<Value>({ kind, bytes, fds }: Message, read: (kind: number, from: Reader) => Value): Value {
    const reader = new Reader(bytes, fds);
    try {
      if (kind === KIND.REFUSED) throw new BadMessage(`the server refuses: ${TEXT.read(reader)}`);
      return read(kind, reader);
    } finally {
      reader.close();
    }
  }

  #failure(command: string): HwcError {
    return new HwcError(command, ERROR.NO_RESOURCES, `${this.#reason}; connect again`);
  }

  get #late(): string {
    return `the server did not answer within ${this.#timeout} ms`;
  }
}

const GONE = "the server has gone";

function left(end: number): number {
  return Math.max(0, end - performance.now());
}
