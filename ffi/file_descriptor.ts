import { arena } from "./arena.ts";
import { libcAddress } from "./libc.ts";
import { bindByAddress } from "./stubs.ts";

const F_DUPFD_CLOEXEC = 1030, POLLIN = 1;
const EFD_CLOEXEC_NONBLOCK = 0o2004000;

/** Calls a function of the C library by name; all arguments integers. */
function call(name: string, signature: string, ...args: (number | bigint)[]): number {
  return bindByAddress(signature)(...args, addressOf(name)) as number;
}

const addresses = new Map<string, bigint>();
function addressOf(name: string): bigint {
  let address = addresses.get(name);
  if (address === undefined) addresses.set(name, address = libcAddress(name));
  return address;
}

/** Another file descriptor for the same file, closed on exec; -1 when there are no more. */
export function duplicate(fd: number): number {
  return call("fcntl", "s:sss", fd, F_DUPFD_CLOEXEC, 0); // int fcntl(int fd, int cmd, ...)
}

/** Closes a file descriptor; a negative one is ignored. */
export function closeDescriptor(fd: number): void {
  if (fd >= 0) call("close", "s:s", fd); // int close(int fd)
}

/** Waits until a file descriptor can be read: `true` if it can, `false` after the time. Milliseconds; negative waits for ever. */
export function pollDescriptor(fd: number, milliseconds: number): boolean {
  const memory = arena(), mark = memory.mark(), at = memory.alloc(8);
  memory.view.setInt32(at, fd, true);
  memory.view.setUint32(at + 4, POLLIN, true);
  // int poll(struct pollfd *fds, nfds_t nfds, int timeout)
  const ready = call("poll", "s:oqs", at, 1n, milliseconds);
  memory.release(mark);
  return ready > 0;
}

/** A new eventfd: not readable until it is written to; -1 when there are no more file descriptors. */
export function createEvent(): number {
  return call("eventfd", "s:ws", 0, EFD_CLOEXEC_NONBLOCK); // int eventfd(unsigned int initval, int flags)
}

/** Makes an eventfd readable, for good unless somebody reads it. */
export function signalEvent(fd: number): void {
  const memory = arena(), mark = memory.mark(), at = memory.alloc(8);
  memory.view.setBigUint64(at, 1n, true);
  call("write", "q:soq", fd, at, 8n); // ssize_t write(int fd, const void *buf, size_t count)
  memory.release(mark);
}
