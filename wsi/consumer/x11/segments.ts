import { createEvent, duplicate, signalEvent } from "../../../ffi/file/file_descriptor.ts";
import type { GraphicBuffer } from "../../buffer/graphic_buffer.ts";
import { NativeFence } from "../../fence/native_fence.ts";
import type { XConnection } from "./connection.ts";

/** A buffer that the server has mapped, too. */
export class Segment {
  /** The segment's number in the server. */
  readonly id: number;
  readonly buffer: GraphicBuffer;
  /** The number of pictures that the server was asked to read from it. */
  asked = 0;
  /** The number of pictures that the server has read. */
  read = 0;

  /** Made by {@linkcode Segments}. */
  constructor(id: number, buffer: GraphicBuffer) {
    this.id = id;
    this.buffer = buffer;
  }

  /** Whether the server has read the whole segment. */
  get isRead(): boolean {
    return this.read >= this.asked;
  }
}

/** The buffers shared with an X server by their file descriptors: each attached once, detached when it is closed. */
export class Segments {
  #connection: XConnection;
  #byBuffer = new Map<bigint, Segment>();
  #usable: boolean;

  /** Attaches nothing yet. */
  constructor(connection: XConnection) {
    this.#connection = connection;
    this.#usable = connection.shm !== undefined;
  }

  /** The number of segments that are attached. */
  get count(): number {
    return this.#byBuffer.size;
  }

  /** A buffer's segment; `undefined` if it cannot be shared: no MIT-SHM, no memfd, no file descriptor left, or the server refuses. */
  of(buffer: GraphicBuffer): Segment | undefined {
    return this.#byBuffer.get(buffer.id) ?? this.#attach(buffer);
  }

  /** Returns a buffer's segment, if the buffer has one. */
  known(buffer: GraphicBuffer): Segment | undefined {
    return this.#byBuffer.get(buffer.id);
  }

  /** The segment of a number. */
  byId(id: number): Segment | undefined {
    for (const segment of this.#byBuffer.values()) if (segment.id === id) return segment;
  }

  /** Detaches the buffers that were closed. */
  sweep(): void {
    for (const [id, segment] of this.#byBuffer) {
      if (!segment.buffer.isClosed) continue;
      this.#connection.call("xcb_shm_detach", segment.id);
      this.#byBuffer.delete(id);
      segment.read = segment.asked; // nobody writes there any more
    }
  }

  /** The server has read a picture. */
  completed(id: number): void {
    const segment = this.byId(id);
    if (segment) segment.read++;
  }

  /** The server refused something: from now on pictures go another way. */
  fail(): void {
    this.#usable = false;
    this.release();
  }

  /** Takes all as read: the server has gone, or the connection is closed. */
  release(): void {
    for (const segment of this.#byBuffer.values()) segment.read = segment.asked;
  }

  #attach(buffer: GraphicBuffer): Segment | undefined {
    const fd = this.#usable && buffer.memory.fd >= 0 ? duplicate(buffer.memory.fd) : -1;
    if (fd < 0) return undefined;
    const id = this.#connection.newId();
    // libxcb closes the file descriptor, in any case.
    const cookie = this.#connection.call("xcb_shm_attach_fd_checked", id, fd, 1);
    if (!this.#connection.succeeded(cookie)) {
      this.#usable = false;
      return undefined;
    }
    const segment = new Segment(id, buffer);
    this.#byBuffer.set(buffer.id, segment);
    return segment;
  }
}

/** The connection's functions that a fence needs. */
interface Drain {
  /** Handles the events that have arrived; never waits. */
  drain(): void;
  /** Waits until something may have come, at most so many milliseconds. */
  waitForInput(milliseconds: number): void;
}

/** Milliseconds that a request for a file descriptor waits for the server, which answers in less than one. */
const PATIENCE = 1000;

/** A fence that is signalled once the server has read all that it was asked to read of a segment so far. */
export function readFence(segment: Segment, connection: Drain): NativeFence {
  const target = segment.asked;
  const poll = () => {
    if (segment.read < target) connection.drain();
    return segment.read >= target;
  };
  if (poll()) return NativeFence.signaled();
  const wait = (nanoseconds: bigint) => waitUntil(poll, connection, Number(nanoseconds) / 1e6);
  return NativeFence.of({ poll, wait, toDescriptor: () => descriptorAfter(() => wait(BigInt(PATIENCE) * 1_000_000n)) });
}

/**
 * Handles events until a condition is true. Returns whether the condition became true within a number of milliseconds.
 */
export function waitUntil(
  isDone: () => boolean,
  connection: Pick<Drain, "waitForInput">,
  milliseconds: number,
): boolean {
  const end = performance.now() + milliseconds;
  while (!isDone()) {
    const left = end - performance.now();
    if (left <= 0) return false;
    connection.waitForInput(Math.ceil(Math.min(left, PATIENCE)));
  }
  return true;
}

/** Only JavaScript hears of the server's answer: nobody may be left to wait for it natively. */
function descriptorAfter(wait: () => boolean): number {
  wait();
  const fd = createEvent();
  if (fd >= 0) signalEvent(fd);
  return fd;
}
