import { DescriptorStream } from "../../../ffi/file/unix_socket.ts";
import { closeDescriptor } from "../../../ffi/file/file_descriptor.ts";
import { BadMessage, HEADER_SIZE, MAGIC, MOST_BYTES, MOST_FDS } from "./wire.ts";

/** A message as it travels. */
export interface Message {
  /** One of KIND. */
  readonly kind: number;
  /** Behind the header. */
  readonly bytes: Uint8Array;
  /** The receiver's. */
  readonly fds: readonly number[];
}

interface Outgoing {
  bytes: Uint8Array;
  fds: number[];
}

/** Whole messages over a socket, either side. Nothing waits but {@linkcode Channel.wait}. */
export class Channel {
  readonly #stream: DescriptorStream;
  #bytes = new Uint8Array(0);
  #fds: number[] = [];
  #outgoing: Outgoing[] = [];
  #isGone = false;

  /** Takes over a connected socket. */
  constructor(fd: number) {
    this.#stream = new DescriptorStream(fd);
  }

  /** The socket. */
  get fd(): number {
    return this.#stream.fd;
  }

  /** Whether nothing more can come. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Bytes that wait to be sent. */
  get waiting(): number {
    return this.#outgoing.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  /** Takes a message, file descriptors included, to be sent by {@linkcode Channel.flush}. */
  post(kind: number, bytes: Uint8Array, fds: readonly number[] = []): void {
    const message = new Uint8Array(HEADER_SIZE + bytes.length), header = new DataView(message.buffer);
    [MAGIC, kind, bytes.length, fds.length].forEach((word, index) => header.setUint32(4 * index, word, true));
    message.set(bytes, HEADER_SIZE);
    this.#outgoing.push({ bytes: message, fds: [...fds] });
  }

  /**
   * Sends as much as the socket takes. Returns whether nothing is left. Data
   * for a receiver that is gone is dropped.
   */
  flush(): boolean {
    for (let next = this.#outgoing[0]; next; next = this.#outgoing[0]) {
      const sent = this.#stream.send(next.bytes, next.fds);
      if (!sent) return this.#drop();
      if (sent.bytes === 0) return false;
      next.bytes = next.bytes.subarray(sent.bytes);
      next.fds.splice(0, sent.fds).forEach(closeDescriptor);
      if (next.bytes.length === 0) this.#outgoing.shift();
    }
    return true;
  }

  /** Receives the available data. Throws {@linkcode BadMessage} for more data than a message can have. */
  receive(): void {
    while (!this.#isGone) {
      const received = this.#stream.receive();
      if (!received) return void (this.#isGone = true);
      if (received.bytes.length === 0) return;
      this.#bytes = joined(this.#bytes, received.bytes);
      this.#fds.push(...received.fds);
      if (this.#fds.length > MOST_FDS) throw new BadMessage(`it brings ${this.#fds.length} file descriptors`);
      if (received.isAll || this.#bytes.length >= HEADER_SIZE + MOST_BYTES) return;
    }
  }

  /** The next whole message. Throws {@linkcode BadMessage} for what cannot become one. */
  next(): Message | undefined {
    if (this.#bytes.length < HEADER_SIZE) return undefined;
    const header = new DataView(this.#bytes.buffer, this.#bytes.byteOffset);
    const [magic, kind, size, count] = [0, 4, 8, 12].map((at) => header.getUint32(at, true));
    if (magic !== MAGIC) throw new BadMessage(`it begins with 0x${magic.toString(16)}`);
    if (size > MOST_BYTES || count > MOST_FDS) {
      throw new BadMessage(`it announces ${size} bytes and ${count} file descriptors`);
    }
    const end = HEADER_SIZE + size;
    if (this.#bytes.length < end) return undefined;
    if (this.#fds.length < count) throw new BadMessage(`it lacks ${count - this.#fds.length} file descriptors`);
    const bytes = this.#bytes.subarray(HEADER_SIZE, end);
    this.#bytes = this.#bytes.subarray(end);
    return { kind, bytes, fds: this.#fds.splice(0, count) };
  }

  /**
   * Waits for so many milliseconds until the socket can receive or send.
   * Returns whether it can. Blocks this thread.
   */
  wait(what: "receive" | "send", milliseconds: number): boolean {
    return this.#stream.wait(what, milliseconds);
  }

  /** Ends the connection. A second call does nothing. */
  close(): void {
    this.#isGone = true;
    this.#drop();
    this.#fds.splice(0).forEach(closeDescriptor);
    this.#stream.close();
  }

  #drop(): true {
    for (const { fds } of this.#outgoing.splice(0)) fds.forEach(closeDescriptor);
    return true;
  }
}

function joined(first: Uint8Array, second: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (first.length === 0) return second;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
