import { NativeBlock } from "../../../ffi/block.ts";
import { NativeError } from "../../../ffi/error.ts";
import { callLibc } from "../../../ffi/invoke.ts";
import { libc } from "../../../ffi/libc.ts";
import { type SocketAddress, socketText } from "./socket_address.ts";

/** SOCK_STREAM | SOCK_CLOEXEC, and SOCK_NONBLOCK; SOL_SOCKET; SO_RCVTIMEO, SO_SNDTIMEO; IPPROTO_TCP, TCP_NODELAY */
const STREAM = 0x80001, AT_ONCE = 0x800, SOL_SOCKET = 1, TIMES = [20, 21], TCP = 6, NO_DELAY = 1;
const MSG_DONTWAIT = 0x40, MSG_WAITALL = 0x100, MSG_NOSIGNAL = 0x4000, MSG_MORE = 0x8000;
/** The number of connections that may wait to be accepted. */
const WAITING = 64;
const MOVE = "s:sqqs";

/** Listens at an address. Returns the file descriptor, and the address with the port that was free. */
export function listenAt({ bytes }: SocketAddress): { file: number; address: Uint8Array } {
  using block = new NativeBlock(256);
  const file = callLibc("socket", "s:sss", bytes[0], STREAM | AT_ONCE, 0), size = block.address + 200n;
  block.bytes.set(bytes);
  if (file >= 0 && callLibc("bind", "s:sqs", file, block.address, bytes.length) === 0) {
    block.view.setUint32(200, 128, true);
    const isThere = callLibc("listen", "s:ss", file, WAITING) === 0 &&
      callLibc("getsockname", "s:sqq", file, block.address, size) === 0;
    if (isThere) return { file, address: bytes[0] === 1 ? bytes : block.bytes.slice(0, bytes.length) };
  }
  if (file >= 0) libc().close(file);
  throw new NativeError("unsupported", `Cannot listen at ${socketText(bytes)}: it is in use, or not allowed`);
}

/** Takes a connection that waits. Returns its file descriptor; -1 if there is none. */
export function acceptFrom(listening: number, milliseconds: number): number {
  const file = callLibc("accept4", "s:sqqs", listening, 0n, 0n, STREAM & ~1);
  if (file < 0) return -1;
  using block = new NativeBlock(32);
  block.view.setBigUint64(0, BigInt(Math.floor(milliseconds / 1000)), true);
  block.view.setBigUint64(8, BigInt(milliseconds % 1000 * 1000), true);
  for (const option of TIMES) callLibc("setsockopt", "s:sssqs", file, SOL_SOCKET, option, block.address, 16);
  block.view.setUint32(16, 1, true);
  callLibc("setsockopt", "s:sssqs", file, TCP, NO_DELAY, block.address + 16n, 4); // other sockets refuse
  return file;
}

/** Receives what is there. Returns the number of bytes; 0 or less if the connection has ended. */
export function receiveSome(file: number, address: bigint, size: number): number {
  return callLibc("recv", MOVE, file, BigInt(address), BigInt(size), MSG_DONTWAIT);
}

/** Receives so many bytes. Returns `false` if the connection ends or is silent for too long. */
export function receiveAll(file: number, address: bigint, size: number): boolean {
  return moveAll("recv", MSG_WAITALL, { file, address, size });
}

/** Sends so many bytes. Returns `false` if the connection has ended or nobody takes them. */
export function sendAll(file: number, address: bigint, size: number, hasMore = false): boolean {
  return moveAll("send", MSG_NOSIGNAL | (hasMore ? MSG_MORE : 0), { file, address, size });
}

function moveAll(call: "send" | "recv", flags: number, of: { file: number; address: bigint; size: number }): boolean {
  for (let done = 0; done < of.size;) {
    const moved = callLibc(call, MOVE, of.file, of.address + BigInt(done), BigInt(of.size - done), flags);
    if (moved <= 0) return false;
    done += moved;
  }
  return true;
}
