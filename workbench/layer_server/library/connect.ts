import type { Label } from "../../../ffi/asm/code.ts";
import type { Variable } from "../../../ffi/emit/routine.ts";
import { CAPTURED } from "../../../ffi/emit/layout.ts";
import { BLOCKS_AT, HEAD, HELLO, MAGIC, SLOT, SLOTS, STATE } from "../layout.ts";
import { writeCloseOwn, writeIdentity, writeKeep, writeOpen } from "./identity.ts";
import { writeRaise } from "./take.ts";
import { CLOSED, GONE, HIDDEN, OCCUPIED, REFUSED, writeTell } from "./tell.ts";
import { writeTransfer } from "./socket_transfer.ts";
import {
  beginPart,
  type ChannelPlace,
  count,
  FLUSH,
  KERNEL,
  LINK,
  LOOKS,
  ownData,
  type Parts,
  PRIVATE,
  setNumber,
} from "./parts.ts";

/** The sentence for a program whose memory nobody else is to read. */
const PRIVILEGED = "pumice: a privileged program gets no layers of another process\n";
const O_RDWR_CLOEXEC = 0x80002;
/** The places of the channel's file in the library's own data. */
const CHANNEL_FILE = { file: PRIVATE.file, identity: PRIVATE.identity };
/** PROT_READ | PROT_WRITE; MAP_SHARED or MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, and MAP_FIXED_NOREPLACE */
const READ_WRITE = 3, SHARED_THERE = 0x10_0001, OWN_THERE = 0x10_4022;
const MADV_POPULATE_WRITE = 23;
/** O_CLOEXEC | UFFD_USER_MODE_ONLY */
const FAULT_FLAGS = 0x80001;
const PR_SET_PTRACER = 0x59616d61, PR_GET_DUMPABLE = 3;
const FUTEX_WAKE = 1;
/** The answer of the kernel for a file that is not there: -2. */
const ENOENT = 0xffff_fffe;
/** Nanoseconds of one wait: a tenth of a second. */
const SLICE = 100_000_000;

/** Writes the functions that begin and end the link with the server. */
export function writeConnection(parts: Parts): void {
  const { place } = parts;
  if (place) {
    if (place.socket) writeTransfer(parts, place.socket);
    writeIdentity(parts);
    writeConnect(parts, place);
    writeDisconnect(parts, place);
    return;
  }
  for (const name of ["connect", "disconnect"] as const) {
    beginPart(parts, name);
    parts.code.finish(0);
  }
}

/** void connect(): connects the program, if it is not yet. The thread that comes first does it; others wait. */
function writeConnect(parts: Parts, place: ChannelPlace): void {
  const { code, functions } = parts, data = 0, value = 1, other = 2, file = 3, spare = 4;
  const WELCOME = CAPTURED.result / 8;
  beginPart(parts, "connect", CAPTURED.size / 8);
  ownData(parts, data);
  const again = code.here(), busy = code.label(), begun = code.label(), over = code.label();
  const failed = code.label(), mapped = code.label(), unopened = code.label(), closed = code.label();
  const occupied = code.label(), refused = code.label();
  code.set(value, LINK.none);
  code.set(other, LINK.connecting);
  code.exchange(data, value, other, busy);
  code.jump(begun);
  code.place(busy);
  code.acquire(value, data);
  code.ifNotEqual(value, other, over);
  code.systemCall(KERNEL.yield);
  code.jump(again);
  code.place(over);
  code.finish(0);

  code.place(begun);
  code.set(value, SLICE);
  code.store(data, PRIVATE.slice + 8, value);
  code.set(value, LOOKS.most);
  code.store(data, PRIVATE.looks, value);
  code.systemCall(KERNEL.getpid);
  code.wideResult(value);
  code.store(data, PRIVATE.process, value);
  const privileged = code.label(), told = code.label();
  writeIsPrivileged(parts, value, other, privileged);
  if (place.socket) writeOwnMemory();
  else {
    writeOpen(parts, { path: place.path, flags: O_RDWR_CLOEXEC }, [file, value], unopened);
    writeKeep(parts, { base: data, ...CHANNEL_FILE }, [file, value]);
  }
  writeMap(parts, { address: place.channel, size: place.channelSize, at: 0 }, occupied);
  writeMap(parts, { address: place.scratch, size: place.scratchSize, at: place.channelSize }, occupied);
  if (!place.socket) writeLookAtHead();
  code.set(value, 0);
  for (let cell = 0; cell < CAPTURED.size / 8; cell++) code.storeCell(cell, value);
  code.storeCell(0, data); // the first argument: where the server looks whether it can read the program's memory
  code.passCell(0, 0);
  code.passNumber(1, HELLO);
  code.passNumber(2, 0);
  code.passNumber(3, 0);
  code.call(functions.converse);
  code.result(value);
  if (!place.socket) writeCloseFault();
  code.ifZero(value, failed);
  code.loadCell(value, WELCOME);
  code.ifZero(value, refused);
  code.store(data, PRIVATE.number, value);
  if (place.socket) writeNotesLine();
  code.set(value, LINK.connected);
  code.publish(data, value);
  code.finish(0);
  code.place(unopened);
  code.set(other, ENOENT);
  code.ifNotEqual(file, other, closed);
  const words = [
    [undefined, HIDDEN],
    [closed, CLOSED],
    [privileged, PRIVILEGED],
    [occupied, OCCUPIED],
    [refused, REFUSED],
    [failed, GONE],
  ] as const;
  for (const [label, text] of words) {
    if (label) code.place(label);
    writeTell(parts, text, [data, value, other]);
    code.jump(told);
  }
  code.place(told);
  code.set(value, LINK.given_up);
  code.publish(data, value);
  code.finish(0);

  /** With sockets, the program has the same memory, and no file. */
  function writeOwnMemory(): void {
    code.systemCall(KERNEL.getpid);
    code.wideResult(value);
    code.store(data, PRIVATE.file, value);
    code.set(file, 0xffff_ffff);
  }

  /** Notes go through a connection of their own. */
  function writeNotesLine(): void {
    const unused = code.label();
    setNumber(parts, value, place.channel + BigInt(HEAD.isNoting));
    code.load(value, value);
    code.ifZero(value, unused);
    code.call(functions.openNotes);
    code.result(value);
    code.ifZero(value, failed);
    code.place(unused);
  }

  function writeLookAtHead(): void {
    setNumber(parts, spare, place.channel);
    code.load(value, spare, HEAD.magic);
    setNumber(parts, other, MAGIC);
    code.ifEqual(value, other, mapped);
    code.jump(failed);
    code.place(mapped);
    code.load(value, spare, HEAD.open);
    code.ifZero(value, failed);
    code.load(value, spare, HEAD.server);
    code.passNumber(0, PR_SET_PTRACER);
    code.pass(1, value);
    code.systemCall(KERNEL.prctl);
    const unused = code.label();
    code.load(value, spare, HEAD.isNoting);
    code.ifZero(value, unused);
    code.pass(0, spare);
    code.passNumber(1, BLOCKS_AT);
    code.passNumber(2, MADV_POPULATE_WRITE); // an older kernel refuses, and the first calls cost more
    code.systemCall(KERNEL.madvise);
    code.place(unused);
    const unwatched = code.label();
    code.load(value, spare, HEAD.watches);
    code.ifZero(value, unwatched);
    code.passNumber(0, FAULT_FLAGS);
    code.systemCall(KERNEL.userfaultfd);
    code.result(value);
    code.ifNegative32(value, unwatched);
    code.add(value, 1);
    code.store(data, PRIVATE.fault, value);
    code.place(unwatched);
  }

  /** The server has its own descriptor by now. */
  function writeCloseFault(): void {
    const none = code.label();
    code.load(other, data, PRIVATE.fault);
    code.ifZero(other, none);
    code.decrement(other);
    code.pass(0, other);
    code.systemCall(KERNEL.close);
    code.set(other, 0);
    code.store(data, PRIVATE.fault, other);
    code.place(none);
  }

  /** Maps a part of the file where the server has it, unless the program has something else there. */
  function writeMap(parts: Parts, map: { address: bigint; size: number; at: number }, failed: Label): void {
    setNumber(parts, value, map.address);
    code.pass(0, value);
    code.passNumber(1, map.size);
    code.passNumber(2, READ_WRITE);
    code.passNumber(3, place.socket ? OWN_THERE : SHARED_THERE);
    code.pass(4, file);
    code.passNumber(5, place.socket ? 0 : map.at);
    code.systemCall(KERNEL.mmap);
    code.wideResult(other);
    code.ifNotEqual(value, other, failed);
    code.load(value, data, PRIVATE.maps);
    code.add(value, 1);
    code.store(data, PRIVATE.maps, value);
  }
}

/**
 * Goes to a label in a program that runs with the rights of another user or
 * group, or whose memory the kernel keeps from other processes: a file with
 * capabilities makes the program such a one.
 */
function writeIsPrivileged({ code, place }: Parts, value: Variable, other: Variable, privileged: Label): void {
  for (const [real, effective] of [[KERNEL.getuid, KERNEL.geteuid], [KERNEL.getgid, KERNEL.getegid]] as const) {
    code.systemCall(real);
    code.result(value);
    code.systemCall(effective);
    code.result(other);
    code.ifNotEqual(value, other, privileged);
  }
  if (place?.socket?.isAndroid) return; // there, most applications keep their memory, and send what is asked for
  code.passNumber(0, PR_GET_DUMPABLE);
  code.systemCall(KERNEL.prctl);
  code.result(value);
  code.set(other, 1);
  code.ifNotEqual(value, other, privileged);
}

/** void disconnect(): ends the link once the last instance is gone. */
function writeDisconnect(parts: Parts, place: ChannelPlace): void {
  const { code } = parts, data = 0, value = 1, slot = 2, other = 3, left = 4;
  beginPart(parts, "disconnect");
  ownData(parts, data);
  const unmap = code.label(), done = code.label();
  code.load(value, data, PRIVATE.instances);
  code.ifNotZero(value, done);
  code.load(value, data, PRIVATE.file);
  code.ifZero(value, done);
  code.load(value, data, PRIVATE.link);
  code.set(other, LINK.connected);
  if (place.socket) {
    writeDisconnectLines(parts, unmap);
  } else writeLeave();
  code.place(unmap);
  const closing = code.label();
  for (const [address, size] of [[place.channel, place.channelSize], [place.scratch, place.scratchSize]] as const) {
    code.load(value, data, PRIVATE.maps);
    code.ifZero(value, closing);
    code.decrement(value);
    code.store(data, PRIVATE.maps, value);
    setNumber(parts, value, address);
    code.pass(0, value);
    code.passNumber(1, size);
    code.systemCall(KERNEL.munmap);
  }
  code.place(closing);
  if (!place.socket) writeCloseOwn(parts, { base: data, ...CHANNEL_FILE }, [value, other]);
  code.set(value, 0);
  code.store(data, PRIVATE.file, value);
  code.place(done);
  code.finish(0);

  /** Tells the server, if the program is linked. */
  function writeLeave(): void {
    code.ifNotEqual(value, other, unmap);
    code.set(value, LINK.none);
    code.store(data, PRIVATE.link, value);
    setNumber(parts, slot, place.channel + BigInt(HEAD.size));
    code.set(left, SLOTS);
    const next = code.here(), taken = code.label();
    code.set(value, STATE.free);
    code.set(other, STATE.taken);
    code.exchange(slot, value, other, taken);
    writeRaise(parts, slot, [value, other, left]);
    code.systemCall(KERNEL.getpid);
    code.wideResult(value);
    code.store(slot, SLOT.process, value);
    code.load(value, data, PRIVATE.number);
    code.store(slot, SLOT.link, value);
    code.set(value, STATE.left);
    code.publish(slot, value);
    writeRing(parts, slot, value, other);
    code.jump(unmap);
    code.place(taken);
    code.add(slot, SLOT.size);
    code.decrement(left);
    code.ifNotZero(left, next);
  }
}

/** Closes the connections. A program that gave the server up keeps to that. */
function writeDisconnectLines(parts: Parts, unmap: Label): void {
  const { code, functions, place } = parts, data = 0, value = 1, slot = 2, other = 3, left = 4;
  const lines = code.label();
  code.ifNotEqual(value, other, lines);
  const forked = code.label();
  code.systemCall(KERNEL.getpid);
  code.wideResult(value);
  code.load(other, data, PRIVATE.process);
  code.ifNotEqual(value, other, forked); // the notes, too, are the parent's
  code.set(value, 1);
  code.store(data, PRIVATE.leaving, value);
  code.passNumber(0, FLUSH.whole);
  code.call(functions.flush);
  code.place(forked);
  code.set(value, LINK.none);
  code.store(data, PRIVATE.link, value);
  code.place(lines);
  code.load(value, data, PRIVATE.maps);
  code.ifZero(value, unmap);
  setNumber(parts, slot, place!.channel + BigInt(HEAD.size));
  code.set(left, SLOTS);
  const next = code.here();
  code.pass(0, slot);
  code.call(functions.closeLine);
  code.add(slot, SLOT.size);
  code.decrement(left);
  code.ifNotZero(left, next);
  code.set(value, 0);
  code.store(data, PRIVATE.session, value);
  code.store(data, PRIVATE.notes, value);
}

/** Rings, and wakes the server if it sleeps. The variables are overwritten. */
export function writeRing(parts: Parts, bell: Variable, old: Variable, changed: Variable): void {
  const { code } = parts, isAwake = code.label();
  setNumber(parts, bell, parts.place!.channel + BigInt(HEAD.bell));
  count(code, bell, old, changed);
  code.copy(old, bell);
  code.add(old, HEAD.asleep - HEAD.bell);
  code.acquire(old, old);
  code.ifZero(old, isAwake);
  code.pass(0, bell);
  code.passNumber(1, FUTEX_WAKE);
  code.passNumber(2, 0x7fff_ffff);
  code.passNumber(3, 0);
  code.systemCall(KERNEL.futex);
  code.place(isAwake);
}
