import { NativeBlock } from "../../../ffi/block.ts";
import { KIND, ORDER, READ_MOST, WRITE_MOST } from "../messages.ts";
import { receiveAll, sendAll } from "./socket.ts";
import type { Mover, Peer } from "./transport.ts";
import { callLibc } from "../../../ffi/invoke.ts";
import { socketText } from "./socket_address.ts";

/** The lines of a channel that a {@linkcode SocketPeer} uses. */
export interface PeerLines {
  /** Room for orders. */
  readonly order: NativeBlock;
  /** Whether the program has a connection. */
  readonly isOpen: () => boolean;
  /** The file descriptor of the connection whose thread waits for an answer; -1 if none of the program does. */
  readonly file: () => number;
  /** Ends that connection. */
  readonly end: () => void;
}

/** A process at the other end of sockets. Its own thread reads and writes its memory, as ordered. */
export class SocketPeer implements Peer, Mover {
  /** See {@linkcode Peer.process}. */
  readonly process: number;
  /** The pages that are read at once: as many as one answer brings. */
  readonly ahead: number = READ_MOST / 4096;
  readonly #lines: PeerLines;

  /** Makes the peer of a program with a number. */
  constructor(process: number, lines: PeerLines) {
    this.process = process;
    this.#lines = lines;
  }

  /** The peer itself. */
  get mover(): Mover {
    return this;
  }

  /** See {@linkcode Peer.isGone}. */
  get isGone(): boolean {
    return !this.#lines.isOpen();
  }

  /** See {@linkcode Peer.endsWithin}: nothing is known of the process but the connection. */
  endsWithin(): boolean {
    return this.isGone;
  }

  /** See {@linkcode Peer.isEnding}. */
  get isEnding(): boolean {
    return this.isGone;
  }

  /** See {@linkcode Peer.auxiliary}: the kernel is another one. */
  readonly auxiliary: BigUint64Array = new BigUint64Array();

  /** See {@linkcode Peer.hasThread}: a thread that ends in a call cannot be told from one that takes its time. */
  hasThread(): boolean {
    return true;
  }

  /** See {@linkcode Peer.pages}. */
  pages(): undefined {}

  /** See {@linkcode Mover.read}. */
  read(own: bigint, theirs: bigint, size: number): number {
    return this.#pieces(size, READ_MOST, (at, piece) => {
      const file = this.#order(KIND.read, theirs + BigInt(at), piece);
      return file >= 0 && receiveAll(file, own + BigInt(at), piece) ? this.#answer(file, piece) : this.#end();
    });
  }

  /** See {@linkcode Mover.write}. */
  write(own: bigint, theirs: bigint, size: number): number {
    return this.#pieces(size, WRITE_MOST, (at, piece) => {
      const file = this.#order(KIND.write, theirs + BigInt(at), piece);
      return file >= 0 && sendAll(file, own + BigInt(at), piece) ? this.#answer(file, piece) : this.#end();
    });
  }

  /** See {@linkcode Peer.close}: connections are the program's to close. */
  close(): void {}

  #pieces(size: number, most: number, move: (at: number, piece: number) => number): number {
    for (let at = 0; at < size;) {
      const piece = Math.min(size - at, most), moved = move(at, piece);
      at += moved;
      if (moved < piece) return at;
    }
    return size;
  }

  /** Returns the connection; -1 if there is none. */
  #order(kind: bigint, address: bigint, size: number): number {
    const { order } = this.#lines, file = this.#lines.file();
    [kind, address, BigInt(size), 0n].forEach((each, index) => order.view.setBigUint64(8 * index, each, true));
    return file >= 0 && sendAll(file, order.address, ORDER.end, kind === KIND.write) ? file : -1;
  }

  #answer(file: number, most: number): number {
    const { address, view } = this.#lines.order;
    const count = receiveAll(file, address, 8) ? view.getBigUint64(0, true) : BigInt(most) + 1n;
    return count <= BigInt(most) ? Number(count) : this.#end();
  }

  /** Ends the connection of a thread that does not answer in the agreed way. */
  #end(): number {
    this.#lines.end();
    return 0;
  }
}

/** SOL_SOCKET, SO_PEERCRED; AF_INET */
const SOL_SOCKET = 1, PEERCRED = 17, AF_INET = 2;
/** Bytes of a `sockaddr_in`. */
const INTERNET = 16;
/** Milliseconds between two sentences: a program that connects all the time must not fill a log. */
const QUIET = 1000;

/** The faults of a program that connects, with what to do. */
const REASONS = {
  key:
    "shows another key than this server's, so that it is not served: its layer library is of another server, or of " +
    "an earlier start of this one; load the library that this server has written, or give both the same file of keys",
  stranger: "says what no layer library of this version says, so that it is not served: write the library again, or " +
    "look whether something else connects to this address",
} as const;

/** Says who connects and is not served. */
export class Strangers {
  readonly #log: (message: string) => void;
  #quietUntil = 0;

  /** Says so to a function. */
  constructor(log: (message: string) => void) {
    this.#log = log;
  }

  /** Tells of a connection that is about to be closed. Returns `false`. */
  refuse(file: number, reason: keyof typeof REASONS): false {
    const now = performance.now();
    if (now < this.#quietUntil) return false;
    this.#quietUntil = now + QUIET;
    this.#log(`${nameOf(file)} ${REASONS[reason]}`);
    return false;
  }
}

/** Returns the name of the program at the other end of a connection, as far as the kernel knows. */
function nameOf(file: number): string {
  using block = new NativeBlock(256);
  const { view, bytes, address } = block, size = address + 200n;
  view.setUint32(200, 128, true);
  if (callLibc("getpeername", "s:sqq", file, address, size) === 0 && view.getUint16(0, true) === AF_INET) {
    return `a program at ${socketText(bytes.slice(0, INTERNET))}`;
  }
  view.setUint32(200, 12, true); // a `ucred`: the process, its user and its group
  const isKnown = callLibc("getsockopt", "s:sssqq", file, SOL_SOCKET, PEERCRED, address, size) === 0;
  return isKnown && view.getInt32(0, true) > 0 ? `process ${view.getInt32(0, true)}` : "a program";
}
