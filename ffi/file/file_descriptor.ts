import { inFrame } from "../arena.ts";
import { cstring } from "../cstring.ts";
import { libc } from "../libc.ts";
import { addressOf, callLibc as call } from "../invoke.ts";
import { peek32 } from "../machine.ts";
import { bindByAddress } from "../stubs.ts";

const F_DUPFD_CLOEXEC = 1030, F_ADD_SEALS = 1033, F_GET_SEALS = 1034, F_SEAL_SHRINK = 2, POLLIN = 1;
const EFD_CLOEXEC_NONBLOCK = 0o2004000, O_CLOEXEC = 0o2000000, CLOCK_MONOTONIC = 1, SEEK_CUR = 1, SEEK_END = 2;
const MFD_CLOEXEC_ALLOW_SEALING = 3;

/** Returns another file descriptor for the same file, closed on exec; -1 if no file descriptor is left. */
export function duplicate(fd: number): number {
  return call("fcntl", "s:sss", fd, F_DUPFD_CLOEXEC, 0); // int fcntl(int fd, int cmd, ...)
}

/** Closes a file descriptor; a negative one is ignored. */
export function closeDescriptor(fd: number): void {
  if (fd >= 0) call("close", "s:s", fd); // int close(int fd)
}

/** The bits of `revents` that {@linkcode pollDescriptors} reports, by the names of `poll.h`. */
export const POLL = {
  /** The file descriptor can be read. */
  IN: 1,
  /** The file descriptor has an error. */
  ERR: 8,
  /** The other end is closed. */
  HUP: 0x10,
  /** The file descriptor is not open. */
  NVAL: 0x20,
} as const;

/**
 * Waits until a file descriptor can be read. Returns `true` if it can, `false`
 * if the time is over. The time is in milliseconds; a negative time waits for
 * ever.
 */
export function pollDescriptor(fd: number, milliseconds: number): boolean {
  return pollDescriptors([fd], milliseconds)[0] !== 0;
}

/**
 * Waits until one of some file descriptors can be read or has an error. Returns
 * for each the bits of {@linkcode POLL}, 0 if nothing happened. Negative file
 * descriptors are skipped. The time is in milliseconds; a negative time waits
 * for ever.
 */
export function pollDescriptors(fds: readonly number[], milliseconds: number): number[] {
  return inFrame((memory) => {
    const at = memory.alloc(8 * fds.length);
    fds.forEach((fd, index) => {
      memory.view.setInt32(at + 8 * index, fd, true);
      memory.view.setUint32(at + 8 * index + 4, POLLIN, true);
    });
    pollUntil(at, fds.length, milliseconds);
    return fds.map((_, index) => memory.view.getUint16(at + 8 * index + 6, true));
  });
}

/** Polls again for the rest of the time after a signal handler interrupted the call. */
function pollUntil(at: number, count: number, milliseconds: number): void {
  const MOST = 0x7fffffff, wanted = milliseconds < 0 || milliseconds > MOST ? -1 : Math.ceil(milliseconds);
  // int poll(struct pollfd *fds, nfds_t nfds, int timeout)
  const once = (timeout: number) => call("poll", "s:oqs", at, BigInt(count), timeout);
  if (once(wanted) >= 0 || wanted === 0) return;
  const end = wanted < 0 ? Infinity : performance.now() + wanted;
  while (lastError() === EINTR) {
    const left = end - performance.now();
    if (left <= 0 || once(left === Infinity ? -1 : Math.ceil(left)) >= 0) return;
  }
}

const EINTR = 4;

/** The `errno` of the previous C call. Best effort: call this function at once. */
export function lastError(): number {
  const where = Deno.build.os === "android" ? "__errno" : "__errno_location";
  return peek32(bindByAddress("q:")(addressOf(where)) as bigint); // int *__errno_location(void)
}

/** Names of the errors that the functions of this file and the kernel's mode setting report. */
const ERRORS: Readonly<Record<number, string>> = {
  1: "EPERM",
  2: "ENOENT",
  4: "EINTR",
  5: "EIO",
  6: "ENXIO",
  9: "EBADF",
  11: "EAGAIN",
  12: "ENOMEM",
  13: "EACCES",
  16: "EBUSY",
  19: "ENODEV",
  20: "ENOTDIR",
  21: "EISDIR",
  22: "EINVAL",
  23: "ENFILE",
  24: "EMFILE",
  25: "ENOTTY",
  27: "EFBIG",
  28: "ENOSPC",
  30: "EROFS",
  34: "ERANGE",
  38: "ENOSYS",
  95: "EOPNOTSUPP",
  98: "EADDRINUSE",
  111: "ECONNREFUSED",
};

/** An error's name for messages, such as `EMFILE (24)`. */
export function errorName(errno: number): string {
  return `${ERRORS[errno] ?? "errno"} (${errno})`;
}

/** CLOCK_MONOTONIC in nanoseconds: the clock of fences and frames. */
export function monotonicNow(): bigint {
  return inFrame((memory) => {
    const at = memory.alloc(16);
    // int clock_gettime(clockid_t clockid, struct timespec *tp); the core image has this signature, and none with offsets.
    call("clock_gettime", "s:sq", CLOCK_MONOTONIC, memory.address(at));
    return memory.view.getBigInt64(at, true) * 1_000_000_000n + memory.view.getBigInt64(at + 8, true);
  });
}

/**
 * Returns a new memory file that can be sealed and is closed on exec; -1 if
 * none can be made. The name appears in `/proc`.
 */
export function createMemoryFile(name: string): number {
  return libc().memfd_create(cstring(name), MFD_CLOEXEC_ALLOW_SEALING);
}

/** Sets a file's size in bytes. Returns whether the call succeeded. */
export function resizeFile(fd: number, size: bigint): boolean {
  return call("ftruncate", "s:sq", fd, size) === 0; // int ftruncate(int fd, off_t length)
}

/**
 * Forbids everybody to shrink a memory file: a process that maps a file which
 * shrinks would end with SIGBUS. Returns whether the call succeeded.
 */
export function sealAgainstShrinking(fd: number): boolean {
  return call("fcntl", "s:sss", fd, F_ADD_SEALS, F_SEAL_SHRINK) === 0;
}

/** Returns whether a memory file is sealed against shrinking. */
export function isSealedAgainstShrinking(fd: number): boolean {
  const seals = call("fcntl", "s:sss", fd, F_GET_SEALS, 0);
  return seals >= 0 && (seals & F_SEAL_SHRINK) !== 0;
}

/**
 * Returns a file's size in bytes, also for files whose size only seeking tells,
 * such as a dma-buf; -1n if the file has no size.
 */
export function fileSize(fd: number): bigint {
  // off_t lseek(int fd, off_t offset, int whence)
  const seek = (offset: bigint, whence: number) => BigInt.asIntN(64, seekTo(fd, offset, whence));
  const before = seek(0n, SEEK_CUR), size = seek(0n, SEEK_END);
  if (before > 0n) seek(before, 0);
  return size;
}

function seekTo(fd: number, offset: bigint, whence: number): bigint {
  return bindByAddress("q:sqs")(fd, offset, whence, addressOf("lseek")) as bigint;
}

/** Calls ioctl with an argument at an arena offset. Returns the result of ioctl, negative after an error. */
export function controlDevice(fd: number, request: number, at: number): number {
  return call("ioctl", "s:sqo", fd, BigInt(request >>> 0), at); // int ioctl(int fd, unsigned long request, ...)
}

/**
 * Opens a file with flags of `fcntl.h`, closed on exec. Returns -1 if the file
 * cannot be opened. Needs no permission to read.
 */
export function openFile(path: string, flags: number): number {
  return inFrame((memory) => {
    const at = memory.alloc(path.length * 3 + 1);
    memory.bytes.set(cstring(path), at);
    const fd = call("open", "s:oss", at, flags | O_CLOEXEC, 0); // int open(const char *pathname, int flags, ...)
    return fd;
  });
}

/**
 * Returns the first bytes of a file, at most 4096, as text; `""` if the file
 * cannot be read. Needs no permission to read.
 */
export function readFileStart(path: string): string {
  return new TextDecoder().decode(readFirstBytes(path));
}

/** Returns the first bytes of a file, at most 4096; none if the file cannot be read. Needs no permission to read. */
export function readFirstBytes(path: string): Uint8Array<ArrayBuffer> {
  for (const bytes of pieces(path)) return bytes;
  return new Uint8Array();
}

/** Returns a file to its end as lines, for files of /proc, which do not tell their size. Needs no permission to read. */
export function readLines(path: string): string[] {
  const decoder = new TextDecoder();
  let text = "";
  for (const bytes of pieces(path)) text += decoder.decode(bytes, { stream: true });
  return text.split("\n").filter((line) => line !== "");
}

/** `struct linux_dirent64` of the kernel's `linux/dirent.h`: where the size of an entry is, and where the name begins. */
const ENTRY = { size: 16, name: 19 } as const;

/** Returns the names in a folder, for folders of /proc; none if the folder cannot be read. Needs no permission to read. */
export function namesIn(path: string): string[] {
  const fd = openFile(path, 0), names: string[] = [], decoder = new TextDecoder();
  const next = () =>
    inFrame((memory) => {
      const start = memory.alloc(4096);
      // ssize_t getdents64(int fd, void *dirp, size_t count)
      const read = bindByAddress("q:soq")(fd, start, 4096n, addressOf("getdents64")) as bigint;
      const end = start + Math.max(0, Number(BigInt.asIntN(64, read)));
      for (let at = start; at < end; at += memory.view.getUint16(at + ENTRY.size, true)) {
        names.push(decoder.decode(memory.bytes.slice(at + ENTRY.name, memory.bytes.indexOf(0, at + ENTRY.name))));
      }
      return end > start;
    });
  while (fd >= 0 && next());
  closeDescriptor(fd);
  return names.filter((name) => name !== "." && name !== "..");
}

/** Yields the bytes of a file in pieces, as many as a read gives. */
function* pieces(path: string): Generator<Uint8Array<ArrayBuffer>> {
  const fd = openFile(path, 0);
  if (fd < 0) return;
  const next = () =>
    inFrame((memory) => {
      const at = memory.alloc(4096), count = readInto(fd, at, 4096);
      return memory.bytes.slice(at, at + Math.max(0, count));
    });
  try {
    for (let bytes = next(); bytes.length > 0; bytes = next()) yield bytes;
  } finally {
    closeDescriptor(fd);
  }
}

/**
 * Returns the read end and the write end of a new pipe that is closed on exec;
 * `undefined` if no file descriptors are left.
 */
export function createPipe(): { read: number; write: number } | undefined {
  return inFrame((memory) => {
    const at = memory.alloc(8);
    const failed = call("pipe2", "s:os", at, O_CLOEXEC) < 0; // int pipe2(int pipefd[2], int flags)
    const pipe = { read: memory.view.getInt32(at, true), write: memory.view.getInt32(at + 4, true) };
    return failed ? undefined : pipe;
  });
}

/** Writes bytes to a file, a pipe or a socket, once. Returns how many were written; -1 if the call failed. */
export function writeOnce(fd: number, bytes: Uint8Array): number {
  return inFrame((memory) => {
    const at = memory.alloc(bytes.length);
    memory.bytes.set(bytes, at);
    // ssize_t write(int fd, const void *buf, size_t count)
    return Number(BigInt.asIntN(64, BigInt(call("write", "q:soq", fd, at, BigInt(bytes.length)))));
  });
}

/** Reads bytes to an arena offset. Returns their number; -1 if the call failed. */
export function readInto(fd: number, at: number, size: number): number {
  // ssize_t read(int fd, void *buf, size_t count)
  return Number(BigInt.asIntN(64, BigInt(call("read", "q:soq", fd, at, BigInt(size)))));
}

/** Returns a new eventfd, which is not readable until somebody writes to it; -1 if no file descriptor is left. */
export function createEvent(): number {
  return call("eventfd", "s:ws", 0, EFD_CLOEXEC_NONBLOCK); // int eventfd(unsigned int initval, int flags)
}

/**
 * Makes an eventfd readable until somebody reads it. `count`, 1 by default, is
 * added to the counter and means nothing to pollers.
 */
export function signalEvent(fd: number, count = 1n): void {
  inFrame((memory) => {
    const at = memory.alloc(8);
    memory.view.setBigUint64(at, count, true);
    call("write", "q:soq", fd, at, 8n); // ssize_t write(int fd, const void *buf, size_t count)
  });
}

/**
 * Returns what the kernel calls the file behind a file descriptor: `anon_inode:[eventfd]`, `anon_inode:sync_file`,
 * `pipe:[123]`, `socket:[123]` or a path; `""` for one that is not open. Needs no permission to read.
 */
export function nameOfDescriptor(fd: number): string {
  const ROOM = 256, path = cstring(`/proc/self/fd/${fd}`);
  return inFrame((memory) => {
    const at = memory.alloc(path.length), to = memory.alloc(ROOM);
    memory.bytes.set(path, at);
    // ssize_t readlink(const char *pathname, char *buf, size_t bufsiz)
    const args = [memory.address(at), memory.address(to), BigInt(ROOM)] as const;
    const size = Number(BigInt.asIntN(64, bindByAddress("q:qqq")(...args, addressOf("readlink")) as bigint));
    return new TextDecoder().decode(memory.bytes.slice(to, to + Math.max(0, size)));
  });
}

/** Returns an eventfd's counter without changing it; `undefined` for other files, or if /proc cannot be read. */
export function eventCount(fd: number): bigint | undefined {
  const found = /^eventfd-count:\s*([0-9a-f]+)/m.exec(readFileStart(`/proc/self/fdinfo/${fd}`));
  return found ? BigInt(`0x${found[1]}`) : undefined;
}

/** Makes an eventfd unreadable again. */
export function drainEvent(fd: number): void {
  inFrame((memory) => {
    readInto(fd, memory.alloc(8), 8);
  });
}
