import { inFrame } from "../../ffi/arena.ts";
import {
  controlDevice,
  errorName,
  eventCount,
  lastError,
  monotonicNow,
  nameOfDescriptor,
  POLL,
  pollDescriptors,
} from "../../ffi/file/file_descriptor.ts";
import { peekSocket } from "../../ffi/file/unix_socket.ts";
import { WsiError } from "../error.ts";

/** `SYNC_IOC_MERGE` and `SYNC_IOC_FILE_INFO` of `linux/sync_file.h`. */
const SYNC_IOC_MERGE = 0xc0303e03, SYNC_IOC_FILE_INFO = 0xc0383e04;
/** `struct sync_merge_data`, `struct sync_file_info`, `struct sync_fence_info`. */
const MERGE = { name: 0, fd2: 32, fence: 36, size: 48 };
const FILE_INFO = { name: 0, status: 32, count: 40, fences: 48, size: 56 };
const FENCE_INFO = { driver: 32, timestamp: 72, size: 80 };
const NAME_SIZE = 32;

/** The kernel's information about a sync_file. */
interface SyncFileInfo {
  /** The name it was made with. */
  readonly name: string;
  /** 0 before the signal, 1 afterwards, a negative errno after a failure. */
  readonly status: number;
  /** The kernel drivers whose fences it waits for. */
  readonly drivers: readonly string[];
  /** The time at which the last of its fences was signalled, CLOCK_MONOTONIC nanoseconds; `undefined` before. */
  readonly signalTime: bigint | undefined;
}

/**
 * Returns the information about a file descriptor that is a sync_file; `undefined` for other files, such as an eventfd.
 */
export function syncFileInfo(fd: number): SyncFileInfo | undefined {
  return inFrame((memory) => {
    const at = memory.alloc(FILE_INFO.size);
    const ask = () => controlDevice(fd, SYNC_IOC_FILE_INFO, at) === 0;
    memory.bytes.fill(0, at, at + FILE_INFO.size);
    if (!ask()) return undefined;
    const count = memory.view.getUint32(at + FILE_INFO.count, true), fences = memory.alloc(count * FENCE_INFO.size);
    memory.view.setBigUint64(at + FILE_INFO.fences, memory.address(fences), true);
    if (!ask()) return undefined;
    return readInfo(memory.view, at, fences);
  });
}

function readInfo(view: DataView, at: number, fences: number): SyncFileInfo {
  const count = view.getUint32(at + FILE_INFO.count, true), status = view.getInt32(at + FILE_INFO.status, true);
  const places = Array.from({ length: count }, (_, index) => fences + index * FENCE_INFO.size);
  const times = places.map((place) => view.getBigUint64(place + FENCE_INFO.timestamp, true));
  const last = times.reduce((latest, time) => time > latest ? time : latest, 0n);
  return {
    name: textAt(view, at + FILE_INFO.name),
    status,
    drivers: places.map((place) => textAt(view, place + FENCE_INFO.driver)),
    signalTime: status === 0 || last === 0n ? undefined : last,
  };
}

/** Returns a sync_file that is signalled when both are; -1 if the kernel refuses. */
export function mergeSyncFiles(one: number, other: number): number {
  return inFrame((memory) => {
    const at = memory.alloc(MERGE.size);
    memory.bytes.fill(0, at, at + MERGE.size);
    memory.bytes.set(new TextEncoder().encode("pumice-merged"), at + MERGE.name);
    memory.view.setInt32(at + MERGE.fd2, other, true);
    const result = controlDevice(one, SYNC_IOC_MERGE, at), merged = memory.view.getInt32(at + MERGE.fence, true);
    return result === 0 ? merged : -1;
  });
}

function textAt(view: DataView, at: number): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + at, NAME_SIZE), end = bytes.indexOf(0);
  return new TextDecoder().decode(bytes.slice(0, end < 0 ? NAME_SIZE : end));
}

/**
 * Waits for a fence's file descriptor, at most so many milliseconds, negative
 * for ever. Returns whether the fence is signalled, which includes a pipe whose
 * other end is closed. Throws a {@linkcode WsiError} `fence-failed` if the
 * descriptor cannot be polled.
 */
export function waitForDescriptor(fd: number, milliseconds: number): boolean {
  const [events] = pollDescriptors([fd], milliseconds);
  if ((events & (POLL.IN | POLL.HUP)) !== 0) return true;
  if (events === 0) return false;
  const why = (events & POLL.NVAL) !== 0 ? "is not open" : "reports an error";
  throw new WsiError("fence-failed", `Cannot wait for a fence: its file descriptor ${fd} ${why}; who closed it?`);
}

/** Returns the kind of fence behind a file descriptor. */
export function kindOfDescriptor(fd: number): "sync_file" | "eventfd" {
  return syncFileInfo(fd) ? "sync_file" : "eventfd";
}

/**
 * Whether a file descriptor is open and can be a fence: a sync_file, an eventfd, or an end of a pipe or of a socket
 * pair. Other files count as signalled for ever.
 */
export function isFenceDescriptor(fd: number): boolean {
  return /^(?:anon_inode:\[?(?:sync_file|eventfd)\]?|(?:pipe|socket):.*)$/.test(nameOfDescriptor(fd));
}

/**
 * Returns the time at which a file descriptor's fence, known to be signalled,
 * was: sync_files tell; our eventfds keep it in their counter, our sockets as
 * what waits in them, which no poller looks at. `undefined` for those of others.
 */
export function signalTimeOf(fd: number): bigint | undefined {
  const info = syncFileInfo(fd);
  if (info) return info.signalTime;
  const count = peekSocket(fd) ?? eventCount(fd);
  return count !== undefined && count > PLAUSIBLE && count <= monotonicNow() ? count : undefined;
}

/** Counters up to this value count events: no fence exists in the first millisecond after the machine's start. */
const PLAUSIBLE = 1_000_000n;

/** The error for a file descriptor that could not be made. */
export function noDescriptor(what: string): WsiError {
  const message = `Cannot make a file descriptor for ${what}: ${
    errorName(lastError())
  }; close files, or raise ulimit -n`;
  return new WsiError("out-of-descriptors", message);
}
