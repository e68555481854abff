import { NativeBlock } from "../block.ts";
import { closeDescriptor, lastError } from "./file_descriptor.ts";
import { addressOf } from "./libc_call.ts";
import { bindByAddress } from "../stubs.ts";
import { shutDown } from "./unix_socket.ts";

/** As many file descriptors as Linux takes in one message. */
const MOST_FDS = 253;
/** Where the parts of a message are in the block: `struct msghdr`, `struct iovec`, `struct pollfd`, `struct cmsghdr` with file descriptors behind it, bytes. */
const HEADER = 0, VECTOR = 64, POLLED = 96, CONTROL = 128, FDS = CONTROL + 16, BYTES = 2048;
const CONTROL_SIZE = 16 + 4 * (MOST_FDS + 1), BYTES_SIZE = 1 << 16;
const SOL_SOCKET = 1, SCM_RIGHTS = 1;
const MSG_CTRUNC = 8, MSG_DONTWAIT_NOSIGNAL = 0x4040, MSG_DONTWAIT_CMSG_CLOEXEC = 0x40000040;
const POLLIN = 1, POLLOUT = 4, EINTR = 4, EAGAIN = 11;

/** What came through a {@linkcode DescriptorStream}. */
export interface Received {
  /** Bytes, in a buffer of their own. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** File descriptors, in their order. The receiver owns them. */
  readonly fds: readonly number[];
}

/**
 * A connected Unix socket whose bytes carry file descriptors along. Nothing here
 * waits but {@linkcode DescriptorStream.wait}.
 */
export class DescriptorStream implements Disposable {
  /** The socket; the stream owns it. */
  readonly fd: number;
  readonly #block: NativeBlock;
  #isOpen = true;

  /** Takes over a connected socket that does not block. */
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
   * Sends as many bytes as there is room for, and with the first of them as many
   * of the file descriptors as a message takes, which stay the caller's; how
   * many. 0 bytes when there is no room now; `undefined` when the other side is
   * gone. There must be more bytes than messages' worth of file descriptors.
   */
  send(bytes: Uint8Array, fds: readonly number[]): { readonly bytes: number; readonly fds: number } | undefined {
    const { view, bytes: memory } = this.#block, taken = Math.min(fds.length, MOST_FDS);
    // File descriptors that are left over need a byte that carries them.
    const size = fds.length > taken ? 1 : Math.min(bytes.length, BYTES_SIZE);
    memory.set(bytes.subarray(0, size), BYTES);
    view.setBigUint64(VECTOR + 8, BigInt(size), true);
    this.#attach(fds, taken);
    const sent = this.#message("sendmsg", MSG_DONTWAIT_NOSIGNAL);
    if (sent >= 0) return { bytes: sent, fds: taken };
    return isLater(lastError()) ? { bytes: 0, fds: 0 } : undefined;
  }

  /** What has come: no bytes if nothing has yet; `undefined` when the other side is gone, or sends more file descriptors than this process may have. */
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

  /** Waits until something can be received, or sent; whether it can within so many milliseconds. Blocks this thread. */
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
