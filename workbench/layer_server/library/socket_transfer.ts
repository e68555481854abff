import type { Label } from "../../../ffi/asm/code.ts";
import type { Variable } from "../../../ffi/emit/routine.ts";
import { SLOT } from "../layout.ts";
import { GREETING_MAGIC, WELCOME } from "../messages.ts";
import { FIRST_ERROR } from "./find.ts";
import { writeCloseOwn, writeKeep } from "./identity.ts";
import { beginPart, KERNEL, ownData, type Parts, PRIVATE, setNumber, type SocketPlace } from "./parts.ts";

/** The kernel's error numbers, as it returns them. */
const INTERRUPTED = -4n, BAD_ADDRESS = -14n;
const MSG_NOSIGNAL = 0x4000, MSG_WAITALL = 0x100;
/** SOCK_STREAM | SOCK_CLOEXEC; SOL_SOCKET; SO_RCVTIMEO, SO_SNDTIMEO; IPPROTO_TCP, TCP_NODELAY */
const STREAM = 0x80001, SOL_SOCKET = 1, TIMES = [20, 21], TCP = 6, NO_DELAY = 1, AF_INET = 2;
/** The result of `send` and `receive` if the connection has ended or its time is over. */
const ENDED = 0xffff_ffff;

/** Writes the functions that move bytes through connections. */
export function writeTransfer(parts: Parts, place: SocketPlace): void {
  writeMove(parts, "send");
  writeMove(parts, "receive");
  writeOpenLine(parts, place);
  writeCloseLine(parts);
}

/**
 * u32 send(file, address, size), and the same for `receive`. Returns how many
 * bytes were not moved because there is no memory for them; 0xffffffff if the
 * connection is of no use any more.
 */
function writeMove(parts: Parts, name: "send" | "receive"): void {
  const { code } = parts, file = 0, at = 1, left = 2, moved = 3, other = 4;
  beginPart(parts, name);
  [file, at, left].forEach((each, index) => code.argument(each as Variable, index));
  const next = code.here(), some = code.label(), ended = code.label(), done = code.label();
  code.ifZero(left, done);
  [file, at, left].forEach((each, index) => code.pass(index, each as Variable));
  code.passNumber(3, name === "send" ? MSG_NOSIGNAL : MSG_WAITALL);
  code.passNumber(4, 0);
  code.passNumber(5, 0);
  code.systemCall(name === "send" ? KERNEL.sendto : KERNEL.recvfrom);
  code.wideResult(moved);
  setNumber(parts, other, FIRST_ERROR);
  code.ifBelow(moved, other, some);
  setNumber(parts, other, BigInt.asUintN(64, INTERRUPTED));
  code.ifEqual(moved, other, next);
  setNumber(parts, other, BigInt.asUintN(64, BAD_ADDRESS));
  code.ifEqual(moved, other, done);
  code.place(ended);
  code.finish(ENDED);
  code.place(some);
  code.ifZero(moved, ended);
  code.addVariable(at, moved);
  code.subtractVariable(left, moved);
  code.jump(next);
  code.place(done);
  code.finish({ variable: left });
}

/** u32 openLine(slot): connects a slot, and greets. Returns 1; 0 if the server is not there or not the right one. */
function writeOpenLine(parts: Parts, place: SocketPlace): void {
  const { code, constants } = parts, slot = 0, file = 1, value = 2, other = 3;
  beginPart(parts, "openLine", WELCOME.size / 8);
  code.argument(slot, 0);
  const failed = code.label(), ended = code.label(), wrong = code.label();
  code.passNumber(0, new DataView(place.address.buffer, place.address.byteOffset).getUint16(0, true));
  code.passNumber(1, STREAM);
  code.passNumber(2, 0);
  code.systemCall(KERNEL.socket);
  code.result(file);
  code.ifNegative32(file, failed);
  for (const option of TIMES) writeOption(SOL_SOCKET, option, timeOf(place.patience));
  if (place.address[0] === AF_INET) writeOption(TCP, NO_DELAY, new Uint8Array([1, 0, 0, 0]));
  code.pass(0, file);
  code.labelAddress(value, constants.bytes(place.address));
  code.pass(1, value);
  code.passNumber(2, place.address.length);
  code.systemCall(KERNEL.connect);
  code.result(value);
  code.ifNotZero(value, ended);
  const magic = new Uint8Array(new BigUint64Array([GREETING_MAGIC]).buffer);
  const greeting = constants.bytes(new Uint8Array([...magic, ...place.programKey]));
  code.labelAddress(value, greeting);
  writeThrough(parts, "send", { file, at: value, size: magic.length + place.programKey.length }, ended);
  ownData(parts, value);
  code.add(value, PRIVATE.session);
  writeThrough(parts, "send", { file, at: value, size: 8 }, ended);
  code.cellAddress(value, 0);
  writeThrough(parts, "receive", { file, at: value, size: WELCOME.size }, ended);
  new BigUint64Array(place.serverKey.slice().buffer).forEach((word, index) => {
    code.loadCell(value, index);
    setNumber(parts, other, word);
    code.ifNotEqual(value, other, wrong);
  });
  code.loadCell(value, WELCOME.program / 8);
  ownData(parts, other);
  code.store(other, PRIVATE.session, value);
  writeKeep(parts, { base: slot, file: SLOT.file, identity: SLOT.identity }, [file, value]);
  code.finish(1);
  code.place(wrong);
  code.place(ended);
  code.pass(0, file);
  code.systemCall(KERNEL.close);
  code.place(failed);
  code.finish(0);

  function writeOption(level: number, option: number, bytes: Uint8Array): void {
    code.pass(0, file);
    code.passNumber(1, level);
    code.passNumber(2, option);
    code.labelAddress(value, constants.bytes(bytes));
    code.pass(3, value);
    code.passNumber(4, bytes.length);
    code.systemCall(KERNEL.setsockopt);
  }
}

/** A `timeval` of so many tenths of a second. */
function timeOf(tenths: number): Uint8Array {
  return new Uint8Array(new BigUint64Array([BigInt(Math.floor(tenths / 10)), BigInt(tenths % 10 * 100_000)]).buffer);
}

/** void closeLine(slot): closes the connection of a slot, if there is one. */
function writeCloseLine(parts: Parts): void {
  const { code } = parts, slot = 0, value = 1, other = 2, none = code.label();
  beginPart(parts, "closeLine");
  code.argument(slot, 0);
  code.load(value, slot, SLOT.file);
  code.ifZero(value, none);
  writeCloseOwn(parts, { base: slot, file: SLOT.file, identity: SLOT.identity }, [value, other]);
  code.set(value, 0);
  code.store(slot, SLOT.file, value);
  code.place(none);
  code.finish(0);
}

/** Bytes to move: a file descriptor, an address and a size. The variable of the address is overwritten. */
export interface Move {
  readonly file: Variable;
  readonly at: Variable;
  readonly size: number;
}

/** Moves bytes that must all be there. Goes to a label if they cannot be moved. */
export function writeThrough(parts: Parts, how: "send" | "receive", { file, at, size }: Move, failed: Label): void {
  const { code, functions } = parts;
  code.pass(0, file);
  code.pass(1, at);
  code.passNumber(2, size);
  code.call(functions[how]);
  code.result(at);
  code.ifNotZero(at, failed);
}
