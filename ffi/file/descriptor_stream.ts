import { NativeBlock } from "../block.ts";
import { closeDescriptor, lastError } from "./file_descriptor.ts";
import { addressOf } from "../invoke.ts";
import { bindByAddress } from "../stubs.ts";
import { shutDown } from "./unix_socket.ts";

/** The most file descriptors that Linux accepts in one message. */
const MOST_FDS = 253;
/**
 * Offsets of the message's parts in the block: `struct msghdr`, `struct iovec`,
 * `struct pollfd`, `struct cmsghdr` followed by the file descriptors, and the
 * bytes.
 */
const HEADER = 0, VECTOR = 64, POLLED = 96, CONTROL = 128, FDS = CONTROL + 16, BYTES = 2048;
const CONTROL_SIZE = 16 + 4 * (MOST_FDS + 1), BYTES_SIZE = 1 << 16;
const SOL_SOCKET = 1, SCM_RIGHTS = 1;
const MSG_CTRUNC = 8, MSG_DONTWAIT_NOSIGNAL = 0x4040, MSG_DONTWAIT_CMSG_CLOEXEC = 0x40000040;
const POLLIN = 1, POLLOUT = 4, EINTR = 4, EAGAIN = 11;

/** The bytes and file descriptors that one call of {@linkcode DescriptorStream.receive} returns. */
export interface Received {
  /** The bytes, in a buffer that belongs to the caller. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The file descriptors, in the order in which they were sent. The receiver owns them. */
  readonly fds: readonly number[];
}

/**
 * A connected Unix socket that carries file descriptors along with its bytes.
 * No method blocks except {@linkcode DescriptorStream.wait}.
 */
export class DescriptorStream implements Disposable {
  /** The socket's file descriptor. The stream owns the socket. */
  readonly fd: number;
  readonly #block: NativeBlock;
  #isOpen = true;

  /** Takes ownership of a connected, nonblocking socket. */
  constructor(fd: number) {
    this.fd = fd;
    this.#block = new NativeBlock(BYTES + BYTES_SIZE);
    const { address, view } = this.#block;
    view.setBigUint64(HEADER + 16, address + BigInt(VECTOR), true);
    view.setBigUint64(HEADER + 24, 1n, true);
    view.setBigUint64(VECTOR, address + BigInt(BYTES), true);
    view.setInt32(POLLED, fd, true);
  }

  /**
   * Sends as many bytes as there is room for. The first byte carries as many of
   * the file descriptors as one message takes; the caller still owns them.
   * Returns how many bytes and file descriptors were sent: 0 bytes if there is
   * no room now, `undefined` if the other end is closed. The file descriptors
   * must not need more messages than there are bytes.
   */
  send(bytes: Uint8Array, fds: readonly number[]): { readonly bytes: number; readonly fds: number } | undefined {
    const { view, bytes: memory } = this.#block, taken = Math.min(fds.length, MOST_FDS);
    // Each further message of file descriptors needs a byte of its own.
    const size = fds.length > taken ? 1 : Math.min(bytes.length, BYTES_SIZE);
    memory.set(bytes.subarray(0, size), BYTES);
    view.setBigUint64(VECTOR + 8, BigInt(size), true);
    this.#attach(fds, taken);
    const sent = this.#message("sendmsg", MSG_DONTWAIT_NOSIGNAL);
    if (sent >= 0) return { bytes: sent, fds: taken };
    return isLater(lastError()) ? { bytes: 0, fds: 0 } : undefined;
  }

  /**
   * Returns the bytes and file descriptors that have arrived; no bytes if
   * nothing has arrived yet. Returns `undefined` if the other end is closed, or
   * if it sends more file descriptors than this process may have.
   */
  receive(): Received | undefined {
    const { view, bytes } = this.#block;
    view.setBigUint64(VECTOR + 8, BigInt(BYTES_SIZE), true);
    view.setBigUint64(HEADER + 32, this.#block.address + BigInt(CONTROL), true);
    view.setBigUint64(HEADER + 40, BigInt(CONTROL_SIZE), true);
    const count = this.#message("recvmsg", MSG_DONTWAIT_CMSG_CLOEXEC);
    if (count < 0) return isLater(lastError()) ? { bytes: new Uint8Array(0), fds: [] } : undefined;
    const fds = this.#attached();
    if (count > 0 && (view.getInt32(HEADER + 48, true) & MSG_CTRUNC) === 0) {
      return { bytes: bytes.slice(BYTES, BYTES + count), fds };
    }
    fds.forEach(closeDescriptor);
    return undefined;
  }

  /**
   * Blocks this thread until the stream can receive or send, for at most so
   * many milliseconds. Returns whether the stream can.
   */
  wait(what: "receive" | "send", milliseconds: number): boolean {
    const { view, address } = this.#block, end = performance.now() + milliseconds;
    view.setInt16(POLLED + 4, what === "receive" ? POLLIN : POLLOUT, true);
    for (let left = milliseconds;; left = Math.max(0, end - performance.now())) {
      // int poll(struct pollfd *fds, nfds_t nfds, int timeout)
      const found = bindByAddress("s:qqs")(address + BigInt(POLLED), 1n, Math.ceil(left), addressOf("poll")) as number;
      if (found >= 0 || lastError() !== EINTR) return found > 0;
    }
  }

  /** Ends the connection. A second call does nothing. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    shutDown(this.fd);
    closeDescriptor(this.fd);
    this.#block.close();
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #attach(fds: readonly number[], count: number): void {
    const { view, address } = this.#block, size = 16 + 4 * count;
    view.setBigUint64(HEADER + 32, count > 0 ? address + BigInt(CONTROL) : 0n, true);
    view.setBigUint64(HEADER + 40, count > 0 ? BigInt(size + 7 & ~7) : 0n, true);
    view.setBigUint64(CONTROL, BigInt(size), true);
    view.setInt32(CONTROL + 8, SOL_SOCKET, true);
    view.setInt32(CONTROL + 12, SCM_RIGHTS, true);
    for (let index = 0; index < count; index++) view.setInt32(FDS + 4 * index, fds[index], true);
  }

  #attached(): number[] {
    const { view } = this.#block;
    if (view.getBigUint64(HEADER + 40, true) < 16n) return [];
    if (view.getInt32(CONTROL + 8, true) !== SOL_SOCKET || view.getInt32(CONTROL + 12, true) !== SCM_RIGHTS) return [];
    const count = (Number(view.getBigUint64(CONTROL, true)) - 16) >> 2;
    return Array.from({ length: count }, (_, index) => view.getInt32(FDS + 4 * index, true));
  }

  /** ssize_t sendmsg(int sockfd, const struct msghdr *msg, int flags), recvmsg the same */
  #message(name: "sendmsg" | "recvmsg", flags: number): number {
    this.#block.view.setInt32(HEADER + 48, 0, true);
    const result = bindByAddress("q:sqs")(this.fd, this.#block.address, flags, addressOf(name)) as bigint;
    return Number(BigInt.asIntN(64, result));
  }
}

function isLater(errno: number): boolean {
  return errno === EAGAIN || errno === EINTR;
}
