import type { Label } from "../../../ffi/asm/code.ts";
import { BLOCK, GATHER, GATHER_AT, NOTE, POKE, POKE_BITS, POKE_GROUPS, POKE_LOOKS, POKES_AT } from "../layout.ts";
import { writeRing } from "./connect.ts";
import { writeOpen } from "./identity.ts";
import { addScaled, beginPart, type ChannelPlace, KERNEL, ownData, type Parts, PRIVATE, setNumber } from "./parts.ts";

/** Cells: the note, the block, the list's version, command buffers that are left, and an `iovec`: what is left of the block. */
const CELL = { note: 0, block: 1, version: 2, handles: 3, left: 4, to: 5, count: 7 } as const;
const O_RDONLY_CLOEXEC = 0x80000;
/** The variables. */
const note = 0, at = 1, value = 2, other = 3, left = 4;

/**
 * u32 gather(note): takes what layers capture before a noted call: copies the ranges of the server's list into a block,
 * and writes the numbers that its command buffers begin with. Nothing here waits for anybody. Returns 0 if the server
 * must capture: it allows no gathering, knows a command buffer as none for this, has read no block lately, or has changed
 * the list meanwhile, or some memory is not there.
 *
 * The kernel copies, since another thread may unmap memory. The list is whole if its version is the same before and
 * afterwards: exchanging the number for itself keeps the order on every processor.
 */
export function writeGather(parts: Parts, place: ChannelPlace): void {
  const { code } = parts, cannot = code.label(), copied = code.label(), quiet = code.label();
  const table = place.channel + BigInt(GATHER_AT);
  beginPart(parts, "gather", CELL.count);
  code.argument(note, 0);
  code.storeCell(CELL.note, note);
  setNumber(parts, at, table);
  code.acquire(value, at);
  code.ifZero(value, cannot);
  code.storeCell(CELL.version, value);
  writePokes(parts, place, cannot);
  setNumber(parts, at, table);
  code.load(other, at, GATHER.cursor);
  code.acquire(value, other);
  code.ifNotZero(value, cannot);
  code.storeCell(CELL.block, other);
  writeCopy(parts, copied, cannot);
  code.place(copied);
  setNumber(parts, at, table);
  code.loadCell(value, CELL.version);
  code.exchange(at, value, value, cannot);
  code.loadCell(other, CELL.block);
  code.loadCell(note, CELL.note);
  code.store(note, NOTE.gathered, other);
  code.set(value, 1);
  code.publish(other, value);
  code.load(value, other, BLOCK.next);
  code.store(at, GATHER.cursor, value);
  code.load(value, at, GATHER.gathered);
  code.add(value, 1);
  code.store(at, GATHER.gathered, value);
  code.load(value, other, BLOCK.rings);
  code.ifZero(value, quiet);
  writeRing(parts, note, value, other);
  code.place(quiet);
  code.finish(1);
  code.place(cannot);
  code.finish(0);
}

/** Writes the numbers of the command buffers of `note`; `at` is the table. Goes to a label for one that is not known. */
function writePokes(parts: Parts, place: ChannelPlace, cannot: Label): void {
  const { code } = parts, done = code.label(), found = code.label(), none = code.label();
  code.load(value, at, GATHER.handles);
  code.ifZero(value, done);
  code.load(other, at, GATHER.holder);
  code.addVariable(other, note);
  code.load(other, other);
  code.ifZero(other, done);
  code.addVariable(value, note);
  code.storeCell(CELL.handles, value);
  code.load(other, at, GATHER.handleCount);
  code.addVariable(other, note);
  code.load32(left, other);
  const next = code.here();
  code.ifZero(left, done);
  code.storeCell(CELL.left, left);
  code.loadCell(value, CELL.handles);
  code.load(other, value);
  code.add(value, 8);
  code.storeCell(CELL.handles, value);
  const [first, second] = POKE_GROUPS;
  code.bits(value, other, first, POKE_BITS);
  code.bits(left, other, second, POKE_BITS);
  code.addVariable(value, left);
  code.bits(left, value, 0, POKE_BITS);
  setNumber(parts, at, place.channel + BigInt(POKES_AT));
  addScaled(code, at, left, POKE.shift);
  code.set(left, POKE_LOOKS);
  const look = code.here();
  code.acquire(value, at);
  code.ifEqual(value, other, found);
  code.add(at, 1 << POKE.shift);
  code.decrement(left);
  code.ifNotZero(left, look);
  code.jump(cannot);
  code.place(found);
  code.load(other, at, POKE.address);
  code.ifZero(other, none);
  code.load(value, at, POKE.value);
  code.store32(other, 0, value);
  code.place(none);
  code.loadCell(left, CELL.left);
  code.decrement(left);
  code.jump(next);
  code.place(done);
}

/**
 * Copies the ranges into the block. `at` is the table, `other` the block. Where the kernel copies nothing, because a
 * container's filter forbids that or a driver's memory has no pages, it reads the file of the program's memory.
 */
function writeCopy(parts: Parts, copied: Label, cannot: Label): void {
  const { code } = parts;
  code.add(other, BLOCK.bytes);
  code.storeCell(CELL.to, other);
  code.load(left, at, GATHER.total);
  code.storeCell(CELL.to + 1, left);
  ownData(parts, value);
  code.load(value, value, PRIVATE.process);
  code.pass(0, value);
  code.passCell(1, CELL.to);
  code.passNumber(2, 1);
  code.copy(other, at);
  code.add(other, GATHER.ranges);
  code.pass(3, other);
  code.load(value, at, GATHER.count);
  code.pass(4, value);
  code.passNumber(5, 0);
  code.systemCall(KERNEL.processVmReadv);
  code.wideResult(other);
  code.ifEqual(other, left, copied);
  writeReadFile(parts, copied, cannot);
}

/** The same by a file, range by range. */
function writeReadFile(parts: Parts, copied: Label, cannot: Label): void {
  const { code } = parts, file = note, lacks = code.label(), ended = code.label();
  writeOpen(parts, { path: "/proc/self/mem", flags: O_RDONLY_CLOEXEC }, [file, value], cannot);
  code.load(left, at, GATHER.count);
  code.add(at, GATHER.ranges);
  const next = code.here();
  code.ifZero(left, ended);
  code.load(value, at, 8);
  code.loadCell(other, CELL.to + 1);
  code.ifBelow(other, value, lacks); // the list is another one by now
  code.subtractVariable(other, value);
  code.storeCell(CELL.to + 1, other);
  code.pass(0, file);
  code.loadCell(other, CELL.to);
  code.pass(1, other);
  code.addVariable(other, value);
  code.storeCell(CELL.to, other);
  code.pass(2, value);
  code.load(other, at);
  code.pass(3, other);
  code.systemCall(KERNEL.pread64);
  code.wideResult(other);
  code.ifNotEqual(other, value, lacks);
  code.add(at, 16);
  code.decrement(left);
  code.jump(next);
  code.place(ended);
  code.pass(0, file);
  code.systemCall(KERNEL.close);
  code.loadCell(other, CELL.to + 1);
  code.ifZero(other, copied);
  code.jump(cannot);
  code.place(lacks);
  code.pass(0, file);
  code.systemCall(KERNEL.close);
  code.jump(cannot);
}
