import type { NativeBlock } from "../../../ffi/block.ts";
import { KIND, ORDER, READ_MOST, WRITE_MOST } from "../messages.ts";
import { receiveAll, sendAll } from "./socket.ts";
import type { Mover, Peer } from "./transport.ts";

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
