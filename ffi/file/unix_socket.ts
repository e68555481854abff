import { inFrame } from "../arena.ts";
import { NativeBlock } from "../block.ts";
import { cstring } from "../cstring.ts";
import { addressOf } from "../invoke.ts";
import { libc } from "../libc.ts";
import { invokeAddress } from "../machine.ts";
import { bindByAddress } from "../stubs.ts";
import { closeDescriptor, lastError } from "./file_descriptor.ts";

const AF_UNIX = 1, SOCK_STREAM_CLOEXEC_NONBLOCK = 1 | 0o2000000 | 0o4000, BACKLOG = 16, PRIVATE = 0o600;
const MSG_PEEK_DONTWAIT = 0x42, SHUT_RDWR = 2, SOL_SOCKET = 1, SO_TYPE = 3;
/** `sun_path` of `struct sockaddr_un`, which follows the family; it ends with a NUL. */
const PATH_OFFSET = 2, PATH_SIZE = 108;
const AT_FDCWD = -100, AT_SYMLINK_NOFOLLOW = 0x100, STATX_TYPE_MODE_INO = 0x103;
const S_IFMT = 0xf000, S_IFSOCK = 0xc000;

/** The most bytes that the path of a Unix socket may have. */
export const MOST_PATH_BYTES: number = PATH_SIZE - 1;

/** Calls a function of the C library by name, without compiling a stub. */
function call(name: string, signature: string, ...args: (number | bigint)[]): number {
  return invokeAddress(addressOf(name), signature, args) as number;
}

/** Returns a new nonblocking Unix stream socket, closed on exec; -1 if no file descriptor is left. */
export function createSocket(): number {
  return call("socket", "s:sss", AF_UNIX, SOCK_STREAM_CLOEXEC_NONBLOCK, 0); // int socket(int domain, int type, int protocol)
}

/**
 * Returns two connected Unix sockets of the kind that {@linkcode createSocket}
 * makes; `undefined` if no file descriptors are left.
 */
export function createSocketPair(): readonly [number, number] | undefined {
  return inFrame((memory) => {
    const at = memory.alloc(8);
    // int socketpair(int domain, int type, int protocol, int sv[2])
    const failed = call("socketpair", "s:ssso", AF_UNIX, SOCK_STREAM_CLOEXEC_NONBLOCK, 0, at) < 0;
    const pair = [memory.view.getInt32(at, true), memory.view.getInt32(at + 4, true)] as const;
    return failed ? undefined : pair;
  });
}

/**
 * Gives a socket a name in the file system. From the first moment, only the
 * owner may connect. Returns whether the call succeeded.
 */
export function bindSocket(fd: number, path: string): boolean {
  // int fchmod(int fd, mode_t mode): bind gives the file the mode of the socket, less the umask
  call("fchmod", "s:sw", fd, PRIVATE);
  return withAddress(path, (at, size) => call("bind", "s:sow", fd, at, size)) === 0;
}

/** Lets others connect to a socket. Returns whether the call succeeded. */
export function listenOn(fd: number): boolean {
  return call("listen", "s:ss", fd, BACKLOG) === 0; // int listen(int sockfd, int backlog)
}

/** Connects a socket to the socket that listens at a path. Returns whether the call succeeded. */
export function connectSocket(fd: number, path: string): boolean {
  // int connect(int sockfd, const struct sockaddr *addr, socklen_t addrlen)
  return withAddress(path, (at, size) => call("connect", "s:sow", fd, at, size)) === 0;
}

/**
 * Accepts the next connection, as a socket of the kind that
 * {@linkcode createSocket} makes. Returns -1 if nobody waits.
 */
export function acceptFrom(fd: number): number {
  // int accept4(int sockfd, struct sockaddr *addr, socklen_t *addrlen, int flags)
  return call("accept4", "s:sqqs", fd, 0n, 0n, SOCK_STREAM_CLOEXEC_NONBLOCK & ~1);
}

/** Ends a connection in both directions for every file descriptor that refers to the socket. */
export function shutDown(fd: number): void {
  call("shutdown", "s:ss", fd, SHUT_RDWR); // int shutdown(int sockfd, int how)
}

/** Returns whether a file descriptor is a socket. */
export function isSocket(fd: number): boolean {
  return inFrame((memory) => {
    const size = memory.alloc(4), value = memory.alloc(4);
    memory.view.setUint32(size, 4, true);
    // int getsockopt(int sockfd, int level, int optname, void *optval, socklen_t *optlen)
    const failed = call("getsockopt", "s:sssoo", fd, SOL_SOCKET, SO_TYPE, value, size) < 0;
    return !failed;
  });
}

/**
 * Returns the first 8 bytes that wait in a socket and leaves them there;
 * `undefined` if fewer bytes wait, or if the file is no socket.
 */
export function peekSocket(fd: number): bigint | undefined {
  return inFrame((memory) => {
    const at = memory.alloc(8);
    // ssize_t recv(int sockfd, void *buf, size_t len, int flags)
    const count = invokeAddress(addressOf("recv"), "q:soqs", [fd, at, 8n, MSG_PEEK_DONTWAIT]);
    const value = memory.view.getBigUint64(at, true);
    return count === 8n ? value : undefined;
  });
}

/** The identity of a file, and whether the file is a socket. */
export interface FileIdentity {
  /** The device and the inode, as one text. */
  readonly id: string;
  /** Whether the file is a Unix socket. */
  readonly isSocket: boolean;
}

/**
 * Returns the identity of the file at a path; `undefined` if there is none.
 * Needs no permission to read, and does not follow links.
 */
export function fileIdentity(path: string): FileIdentity | undefined {
  return inFrame((memory) => {
    const name = memory.place(cstring(path)), at = memory.alloc(256);
    // int statx(int dirfd, const char *pathname, int flags, unsigned int mask, struct statx *statxbuf)
    const result = call("statx", "s:sqswo", AT_FDCWD, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE_MODE_INO, at);
    const { view } = memory, inode = view.getBigUint64(at + 32, true);
    const isSocket = (view.getUint16(at + 28, true) & S_IFMT) === S_IFSOCK;
    const id = `${view.getUint32(at + 136, true)}:${view.getUint32(at + 140, true)}:${inode}`;
    return result === 0 ? { id, isSocket } : undefined;
  });
}

/** Removes a name from the file system. Returns whether the call succeeded. */
export function unlinkFile(path: string): boolean {
  return libc().unlink(cstring(path)) === 0;
}

/** Calls `run` with the `struct sockaddr_un` of a path in the arena. */
function withAddress<Result>(path: string, run: (at: number, size: number) => Result): Result {
  return inFrame((memory) => {
    const at = memory.alloc(PATH_OFFSET + PATH_SIZE);
    memory.bytes.fill(0, at, at + PATH_OFFSET + PATH_SIZE);
    memory.view.setUint16(at, AF_UNIX, true);
    memory.bytes.set(cstring(path).subarray(0, PATH_SIZE), at + PATH_OFFSET);
    return run(at, PATH_OFFSET + PATH_SIZE);
  });
}

/** The most file descriptors that Linux accepts in one message. */
const MOST_FDS = 253;
/**
 * Offsets of the message's parts in the block: `struct msghdr`, `struct iovec`,
 * `struct pollfd`, `struct cmsghdr` followed by the file descriptors, and the
 * bytes.
 */
const HEADER = 0, VECTOR = 64, POLLED = 96, CONTROL = 128, FDS = CONTROL + 16, BYTES = 2048;
const CONTROL_SIZE = 16 + 4 * (MOST_FDS + 1), BYTES_SIZE = 1 << 16;
const SCM_RIGHTS = 1;
const MSG_CTRUNC = 8, MSG_DONTWAIT_NOSIGNAL = 0x4040, MSG_DONTWAIT_CMSG_CLOEXEC = 0x40000040;
const POLLIN = 1, POLLOUT = 4, EINTR = 4, EAGAIN = 11;

/** The bytes and file descriptors that one call of {@linkcode DescriptorStream.receive} returns. */
interface Received {
  /** The bytes, valid until the stream receives again or is closed. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The file descriptors, in the order in which they were sent. The receiver owns them. */
  readonly fds: readonly number[];
  /** Whether nothing more had arrived, as far as one call can know. */
  readonly isAll: boolean;
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
    memory.set(size < bytes.length ? bytes.subarray(0, size) : bytes, BYTES);
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
    if (count < 0) return isLater(lastError()) ? { bytes: bytes.subarray(0, 0), fds: [], isAll: true } : undefined;
    const fds = this.#attached();
    if (count > 0 && (view.getInt32(HEADER + 48, true) & MSG_CTRUNC) === 0) {
      return { bytes: bytes.subarray(BYTES, BYTES + count), fds, isAll: count < BYTES_SIZE };
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
    if (count === 0) return;
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
