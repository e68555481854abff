import {
  errorName,
  eventCount,
  lastError,
  monotonicNow,
  POLL,
  pollDescriptors,
} from "../../ffi/file/file_descriptor.ts";
import { peekSocket } from "../../ffi/file/unix_socket.ts";
import { WsiError } from "../error.ts";
import { syncFileInfo } from "./sync_file.ts";

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
 * When the fence of a file descriptor, known to be signalled, was: sync_files
 * tell; our eventfds keep it in their counter, our sockets as what waits in
 * them, which no poller looks at. `undefined` for those of others.
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
