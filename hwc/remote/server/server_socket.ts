import { closeDescriptor, errorName, lastError } from "../../../ffi/file/file_descriptor.ts";
import {
  bindSocket,
  connectSocket,
  createSocket,
  fileIdentity,
  listenOn,
  MOST_PATH_BYTES,
  unlinkFile,
} from "../../../ffi/file/unix_socket.ts";
import { HwcError } from "../../hwc_error.ts";
import { ERROR } from "../../types.ts";

const ECONNREFUSED = 111, EADDRINUSE = 98;

/** A socket that listens, and its name. */
export interface ServerSocket {
  /** The socket. */
  readonly fd: number;
  /** Takes the name away, unless it is another's by now, and closes the socket. */
  close(): void;
}

/**
 * Listens at a path that only this user may connect to. A socket that nobody
 * listens at any more is replaced; anything else is left alone. Throws an
 * {@linkcode HwcError}.
 */
export function listenAt(path: string): ServerSocket {
  checkPath("serveComposer", path);
  const fd = createSocket();
  if (fd < 0) fail(path, errorName(lastError()));
  try {
    if (!bindSocket(fd, path)) replaceStale(fd, path, lastError());
    if (!listenOn(fd)) fail(path, errorName(lastError()));
    return owned(fd, path);
  } catch (error) {
    closeDescriptor(fd);
    throw error;
  }
}

/** While the socket is open, no other file gets its number. */
function owned(fd: number, path: string): ServerSocket {
  const made = fileIdentity(path)?.id;
  let isOpen = true;
  return {
    fd,
    close() {
      if (!isOpen) return;
      isOpen = false;
      if (made !== undefined && fileIdentity(path)?.id === made) unlinkFile(path);
      closeDescriptor(fd);
    },
  };
}

/** A path that fits into an address. */
export function checkPath(command: string, path: string): void {
  const size = new TextEncoder().encode(path).length;
  if (size > 0 && size <= MOST_PATH_BYTES && !path.includes("\0")) return;
  const sentence = size === 0
    ? "the path is empty; give one where a socket can be"
    : `the path has ${size} bytes, or a NUL; a socket's has ${MOST_PATH_BYTES} at most`;
  throw new HwcError(command, ERROR.BAD_PARAMETER, sentence);
}

function replaceStale(fd: number, path: string, errno: number): void {
  if (errno !== EADDRINUSE) fail(path, errorName(errno));
  const found = fileIdentity(path);
  if (found && !found.isSocket) fail(path, "there is a file that is no socket; choose another path");
  if (isAlive(path)) fail(path, "another server listens there; end it, or choose another path");
  if (found && fileIdentity(path)?.id === found.id) unlinkFile(path);
  if (!bindSocket(fd, path)) fail(path, errorName(lastError()));
}

/** Whether somebody may listen: only a refused connection says that nobody does. */
function isAlive(path: string): boolean {
  const probe = createSocket();
  const isRefused = !connectSocket(probe, path) && lastError() === ECONNREFUSED;
  closeDescriptor(probe);
  return !isRefused;
}

function fail(path: string, reason: string): never {
  throw new HwcError("serveComposer", ERROR.NO_RESOURCES, `cannot listen at ${path}: ${reason}`);
}
