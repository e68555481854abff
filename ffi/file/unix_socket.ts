import { inFrame } from "../arena.ts";
import { cstring } from "../cstring.ts";
import { libc } from "../libc.ts";
import { addressOf } from "../invoke.ts";
import { invokeAddress } from "../machine.ts";

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
