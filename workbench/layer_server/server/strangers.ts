import { NativeBlock } from "../../../ffi/block.ts";
import { callLibc } from "../../../ffi/invoke.ts";
import { socketText } from "./socket_address.ts";

/** SOL_SOCKET, SO_PEERCRED; AF_INET */
const SOL_SOCKET = 1, PEERCRED = 17, AF_INET = 2;
/** Bytes of a `sockaddr_in`. */
const INTERNET = 16;
/** Milliseconds between two sentences: a program that connects all the time must not fill a log. */
const QUIET = 1000;

/** The faults of a program that connects, with what to do. */
const REASONS = {
  key:
    "shows another key than this server's, so that it is not served: its layer library is of another server, or of " +
    "an earlier start of this one; load the library that this server has written, or give both the same file of keys",
  stranger: "says what no layer library of this version says, so that it is not served: write the library again, or " +
    "look whether something else connects to this address",
} as const;

/** Says who connects and is not served. */
export class Strangers {
  readonly #log: (message: string) => void;
  #quietUntil = 0;

  /** Says so to a function. */
  constructor(log: (message: string) => void) {
    this.#log = log;
  }

  /** Tells of a connection that is about to be closed. Returns `false`. */
  refuse(file: number, reason: keyof typeof REASONS): false {
    const now = performance.now();
    if (now < this.#quietUntil) return false;
    this.#quietUntil = now + QUIET;
    this.#log(`${nameOf(file)} ${REASONS[reason]}`);
    return false;
  }
}

/** Returns the name of the program at the other end of a connection, as far as the kernel knows. */
function nameOf(file: number): string {
  using block = new NativeBlock(256);
  const { view, bytes, address } = block, size = address + 200n;
  view.setUint32(200, 128, true);
  if (callLibc("getpeername", "s:sqq", file, address, size) === 0 && view.getUint16(0, true) === AF_INET) {
    return `a program at ${socketText(bytes.slice(0, INTERNET))}`;
  }
  view.setUint32(200, 12, true); // a `ucred`: the process, its user and its group
  const isKnown = callLibc("getsockopt", "s:sssqq", file, SOL_SOCKET, PEERCRED, address, size) === 0;
  return isKnown && view.getInt32(0, true) > 0 ? `process ${view.getInt32(0, true)}` : "a program";
}
