import { DescriptorStream } from "../../../ffi/file/unix_socket.ts";
import { closeDescriptor } from "../../../ffi/file/file_descriptor.ts";
import { BadMessage, HEADER_SIZE, MAGIC, MOST_BYTES, MOST_FDS } from "./wire.ts";

/** A message as it travels. */
export interface Message {
  /** One of KIND. */
  readonly kind: number;
  /** Behind the header; valid until the channel receives more. */
  readonly bytes: Uint8Array;
  /** The receiver's. */
  readonly fds: readonly number[];
}

interface Outgoing {
  bytes: Uint8Array;
  fds: number[];
}

const FIRST_SIZE = 4096;
/** Bytes of the largest buffer that is kept for the next messages: what a rare long one took is given back. */
const MOST_KEPT = 1 << 17;

/** Whole messages over a socket, either side. Nothing waits but {@linkcode Channel.wait}. */
export class Channel {
  readonly #stream: DescriptorStream;
  /** The bytes that have come, between two places. New memory for each message would cost more than what most messages say. */
  #bytes = new Uint8Array(FIRST_SIZE);
  #view = new DataView(this.#bytes.buffer);
  #start = 0;
  #end = 0;
  #fds: number[] = [];
  /** A message with its header, while it is handed to the socket. */
  #frame = new Uint8Array(FIRST_SIZE);
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

  /**
   * Sends a message, file descriptors included, as far as the socket takes it; {@linkcode Channel.flush} sends the rest.
   * The bytes stay the caller's.
   */
  post(kind: number, bytes: Uint8Array, fds: readonly number[] = []): void {
    const next = { bytes: this.#framed(kind, bytes, fds.length), fds: [...fds] };
    if (this.#outgoing.length === 0 && this.#sendSome(next)) return;
    next.bytes = next.bytes.slice();
    this.#outgoing.push(next);
  }

  /**
   * Sends as much as the socket takes. Returns whether nothing is left. Data
   * for a receiver that is gone is dropped.
   */
  flush(): boolean {
    for (let next = this.#outgoing[0]; next; next = this.#outgoing[0]) {
      if (!this.#sendSome(next)) return false;
      this.#outgoing.shift();
    }
    return true;
  }

  /** Receives the available data. Throws {@linkcode BadMessage} for more data than a message can have. */
  receive(): void {
    while (!this.#isGone) {
      const received = this.#stream.receive();
      if (!received) return void (this.#isGone = true);
      if (received.bytes.length === 0) return;
      this.#keep(received.bytes);
      this.#fds.push(...received.fds);
      if (this.#fds.length > MOST_FDS) throw new BadMessage(`it brings ${this.#fds.length} file descriptors`);
      if (received.isAll || this.#end - this.#start >= HEADER_SIZE + MOST_BYTES) return;
    }
  }

  /**
   * The next whole message, whose bytes are valid until more is received. Throws {@linkcode BadMessage} for what cannot
   * become one.
   */
  next(): Message | undefined {
    const view = this.#view, at = this.#start, came = this.#end - at;
    if (came < HEADER_SIZE) return undefined;
    const magic = view.getUint32(at, true), kind = view.getUint32(at + 4, true);
    const size = view.getUint32(at + 8, true), count = view.getUint32(at + 12, true);
    if (magic !== MAGIC) throw new BadMessage(`it begins with 0x${magic.toString(16)}`);
    if (size > MOST_BYTES || count > MOST_FDS) {
      throw new BadMessage(`it announces ${size} bytes and ${count} file descriptors`);
    }
    if (came < HEADER_SIZE + size) return undefined;
    if (this.#fds.length < count) throw new BadMessage(`it lacks ${count - this.#fds.length} file descriptors`);
    this.#start = at + HEADER_SIZE + size;
    return { kind, bytes: this.#bytes.subarray(at + HEADER_SIZE, this.#start), fds: this.#fds.splice(0, count) };
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

  /** A message as it travels, valid until the next one. */
  #framed(kind: number, bytes: Uint8Array, count: number): Uint8Array {
    const size = HEADER_SIZE + bytes.length;
    if (size > this.#frame.length || this.#frame.length > MOST_KEPT) this.#frame = new Uint8Array(2 * size);
    const view = new DataView(this.#frame.buffer, 0, HEADER_SIZE);
    view.setUint32(0, MAGIC, true);
    view.setUint32(4, kind, true);
    view.setUint32(8, bytes.length, true);
    view.setUint32(12, count, true);
    this.#frame.set(bytes, HEADER_SIZE);
    return this.#frame.subarray(0, size);
  }

  /** Sends as much of a message as the socket takes. Returns whether nothing is left, as for a receiver that is gone. */
  #sendSome(next: Outgoing): boolean {
    while (next.bytes.length > 0) {
      const sent = this.#stream.send(next.bytes, next.fds);
      if (!sent) {
        next.fds.splice(0).forEach(closeDescriptor);
        return this.#drop();
      }
      if (sent.bytes === 0) return false;
      next.bytes = next.bytes.subarray(sent.bytes);
      next.fds.splice(0, sent.fds).forEach(closeDescriptor);
    }
    return true;
  }

  /** Puts what came behind what was not taken yet. */
  #keep(bytes: Uint8Array): void {
    const left = this.#end - this.#start, size = left + bytes.length;
    if (size > this.#bytes.length || (left === 0 && this.#bytes.length > MOST_KEPT)) {
      this.#move(new Uint8Array(Math.max(FIRST_SIZE, 2 * size)));
    } else if (left === 0) this.#start = this.#end = 0;
    else if (this.#end + bytes.length > this.#bytes.length) this.#move(this.#bytes);
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** Moves what was not taken yet to the start of a buffer, which may be the same. */
  #move(to: Uint8Array<ArrayBuffer>): void {
    to.set(this.#bytes.subarray(this.#start, this.#end));
    [this.#start, this.#end] = [0, this.#end - this.#start];
    if (to === this.#bytes) return;
    this.#bytes = to;
    this.#view = new DataView(to.buffer);
  }

  #drop(): true {
    for (const { fds } of this.#outgoing.splice(0)) fds.forEach(closeDescriptor);
    return true;
  }
}
